//! Serves one page on loopback, under a random token, until the page is closed.

use std::hash::{BuildHasher, Hasher};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::interrupt;

/// How long the page may take to open, be silent (browsers slow down hidden pages), or come back after a reload.
const OPEN: Duration = Duration::from_secs(120);
const SILENT: Duration = Duration::from_secs(150);
const RELOAD: Duration = Duration::from_secs(2);

/// Tells the server that the page is there, and when it goes.
const HEARTBEAT: &str = "<script>setInterval(() => fetch('alive'), 1000); \
    addEventListener('pagehide', () => navigator.sendBeacon('closed'));</script>";

/// Serves `page` and says where; returns when it was closed, or the user interrupts.
pub fn until_closed(page: &str, open_browser: bool) -> Result<()> {
    interrupt::listen();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen on loopback")?;
    listener.set_nonblocking(true)?;
    let token = token();
    let address = format!("http://127.0.0.1:{}/{token}/", listener.local_addr()?.port());
    say!("{address}");
    tell!("the page is served until it is closed; Ctrl-C stops");
    if open_browser {
        browse(&address);
    }
    // The page as it lies on the disk may ask for nothing at all; this one may ask us.
    let end = page.rfind("</body>").unwrap_or(page.len());
    let page = format!("{}{HEARTBEAT}{}", &page[..end], &page[end..]).replacen("connect-src", "connect-src 'self'", 1);
    let mut deadline = Instant::now() + OPEN;
    while Instant::now() < deadline && !interrupt::asked() {
        match listener.accept() {
            // A client that breaks off is not our concern.
            Ok((stream, _)) => match answer(stream, &token, &page) {
                Ok(Some(Request::Closed)) => deadline = Instant::now() + RELOAD,
                Ok(Some(Request::Page | Request::Alive)) => deadline = Instant::now() + SILENT,
                Ok(None) | Err(_) => {}
            },
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(20)),
            Err(error) => return Err(error).context("the page's server stopped"),
        }
    }
    Ok(())
}

enum Request {
    Page,
    Alive,
    Closed,
}

/// Answers one request; `None` if it was not for this page.
fn answer(mut stream: TcpStream, token: &str, page: &str) -> std::io::Result<Option<Request>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut line = String::new();
    BufReader::new(&stream).take(4096).read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or("");
    let request = match path.strip_prefix('/').and_then(|path| path.strip_prefix(token)) {
        Some("/") => Some(Request::Page),
        Some("/alive") => Some(Request::Alive),
        Some("/closed") => Some(Request::Closed),
        _ => None,
    };
    let (status, body) = match request {
        Some(Request::Page) => ("200 OK", page),
        Some(_) => ("204 No Content", ""),
        None => ("404 Not Found", ""),
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()?;
    Ok(request)
}

/// 128 bits nobody can guess: the standard library seeds its hashers from the system's random numbers.
fn token() -> String {
    let word = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

fn browse(address: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let started = Command::new(program).args(first).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if started.is_err() {
        tell!("no browser could be opened; open the address above yourself");
    }
}
