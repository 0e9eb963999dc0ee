//! Serves one page on loopback, under a random token, until the page is closed.

use std::hash::{BuildHasher, Hasher};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::interrupt;

/// How long the page may take to open, be silent (browsers slow down hidden pages), or come back after a reload.
const OPEN: Duration = Duration::from_secs(120);
const SILENT: Duration = Duration::from_secs(150);
const RELOAD: Duration = Duration::from_secs(2);

/// How long a request may take to come, and its answer to go.
const ASK: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(30);

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
    let (tell, heard) = mpsc::channel();
    let served = Arc::new((token, page));
    let mut deadline = Instant::now() + OPEN;
    while Instant::now() < deadline && !interrupt::asked() {
        match listener.accept() {
            // On a thread of its own: who asks slowly, or nothing, holds nobody up. A client that breaks off is not our concern.
            Ok((stream, _)) => {
                let (tell, served) = (tell.clone(), Arc::clone(&served));
                // Where no thread can be had, who asks is not answered, and asks again.
                let _ = std::thread::Builder::new().spawn(move || {
                    if let Ok(Some(request)) = answer(stream, &served.0, &served.1) {
                        let _ = tell.send(request); // nobody listens any more once the page was closed
                    }
                });
            }
            // Nobody asks; or who asked has gone, or too many files are open for now.
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
        for request in heard.try_iter() {
            let left = match request {
                Request::Closed => RELOAD,
                Request::Page | Request::Alive => SILENT,
            };
            deadline = Instant::now() + left;
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
    stream.set_write_timeout(Some(ANSWER))?;
    let asked = first_line(&stream)?;
    let path = asked.split(' ').nth(1).unwrap_or("");
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
    // Closed with headers unread, the connection would be reset, and what was answered lost.
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(ASK))?;
    let _ = std::io::copy(&mut (&stream).take(65_536), &mut std::io::sink()); // what comes of it does not matter
    Ok(request)
}

/// The first line of a request, all of which has to come in time.
fn first_line(mut stream: &TcpStream) -> std::io::Result<String> {
    let until = Instant::now() + ASK;
    let (mut found, mut chunk) = (Vec::new(), [0; 1024]);
    while found.len() < 4096 && !found.contains(&b'\n') {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut chunk)? {
            0 => break,
            count => found.extend_from_slice(&chunk[..count]),
        }
    }
    let line = found.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
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
