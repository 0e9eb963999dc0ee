//! Serves one page on loopback, under a random token, until the page is closed.
//!
//! Whoever can open a connection on this machine can ask: other users, and web pages in the
//! browser, whose requests go out in the user's name. So besides the token, a request must name
//! this server as its host (a foreign name that was made to point at 127.0.0.1 does not) and come
//! from this page or from none. All connections are served on one thread, without waiting for any:
//! a client that is slow, or asks for nothing, holds nobody up and is dropped in time, and there
//! are never more than [`MOST`] of them.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use holonomy_scene::export::page;

use crate::interrupt;

/// How long the page may take to open, be silent (browsers slow down hidden pages), or come back after a reload.
const OPEN: Duration = Duration::from_secs(120);
const SILENT: Duration = Duration::from_secs(150);
const RELOAD: Duration = Duration::from_secs(2);

/// How long a request may take to come, all of it; its answer to go, all of it; and the client to
/// hang up after that.
const ASK: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(30);
const LEAVE: Duration = Duration::from_secs(2);

/// A request's first line and headers take no more bytes. What follows them is read, for else the
/// answer could be lost, and thrown away.
const LONGEST: usize = 16_384;
/// Connections at a time. Another one takes the place of the oldest that is not being answered.
const MOST: usize = 256;

/// Tells the server that the page is there, and when it goes: browsers send a beacon by POST.
const HEARTBEAT: &str = "setInterval(() => fetch('alive'), 1000); addEventListener('pagehide', () => navigator.sendBeacon('closed'));";

/// Serves `page` and announces its address; returns when it was closed, or the user interrupts.
pub fn until_closed(page: &str, open_browser: bool, announce: impl FnOnce(&str)) -> Result<()> {
    interrupt::listen();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot listen on loopback")?;
    listener.set_nonblocking(true)?;
    let site = Site { port: listener.local_addr()?.port(), token: token(), page: with_heartbeat(page) };
    let address = format!("http://127.0.0.1:{}/{}/", site.port, site.token);
    announce(&address);
    tell!("the page is served until it is closed; Ctrl-C stops");
    if open_browser {
        browse(&address);
    }
    let mut open = VecDeque::new();
    let mut deadline = Instant::now() + OPEN;
    while Instant::now() < deadline && !interrupt::asked() {
        let mut moved = welcome(&listener, &mut open);
        let mut heard = Vec::new();
        open.retain_mut(|connection: &mut Connection| match connection.advance(&site) {
            Advance::Waits => true,
            Advance::Moves => {
                moved = true;
                true
            }
            Advance::Answered(request) => {
                moved = true;
                heard.extend(request);
                true
            }
            Advance::Over => false,
        });
        for request in heard {
            let left = match request {
                Request::Closed => RELOAD,
                Request::Page | Request::Alive => SILENT,
            };
            deadline = Instant::now() + left;
        }
        if !moved {
            std::thread::sleep(Duration::from_millis(if open.is_empty() { 20 } else { 5 }));
        }
    }
    Ok(())
}

/// Takes in who has come; whether anybody has.
fn welcome(listener: &TcpListener, open: &mut VecDeque<Connection>) -> bool {
    let mut came = false;
    for _ in 0..MOST {
        if open.len() >= MOST {
            // Who asks gets there in milliseconds: it is not the one that has been here longest.
            let Some(oldest) = open.iter().position(|connection| !matches!(connection.state, State::Answering { .. })) else { break };
            open.remove(oldest);
        }
        // Nobody has come; or who came has gone, or too many files are open for now.
        let Ok((stream, _)) = listener.accept() else { break };
        if stream.set_nonblocking(true).is_ok() {
            open.push_back(Connection { stream, state: State::Asking(Vec::new()), until: Instant::now() + ASK });
            came = true;
        }
    }
    came
}

/// The page as it is served. As a file it may ask for nothing at all; this one may ask us.
fn with_heartbeat(page: &str) -> String {
    let end = page.rfind("</body>").unwrap_or(page.len());
    let (head, body) = page[..end].split_at(page[..end].find("</head>").unwrap_or(0));
    // Pages of 0.1.0 allow all scripts; with a hash beside that they would allow none of their own.
    let head = head.replacen("connect-src", "connect-src 'self'", 1);
    let head = head.replacen("script-src 'sha256-", &format!("script-src {} 'sha256-", page::source_of(HEARTBEAT)), 1);
    format!("{head}{body}<script>{HEARTBEAT}</script>{}", &page[end..])
}

/// What is served.
struct Site {
    port: u16,
    token: String,
    page: String,
}

#[derive(Clone, Copy)]
enum Request {
    Page,
    Alive,
    Closed,
}

/// One client.
struct Connection {
    stream: TcpStream,
    state: State,
    /// When it is dropped if it is in this state still.
    until: Instant,
}

enum State {
    /// What it has asked so far.
    Asking(Vec<u8>),
    Answering {
        head: Vec<u8>,
        /// Whether the page follows.
        with_page: bool,
        sent: usize,
        request: Option<Request>,
    },
    /// Answered. Closed with something unread, the connection would be reset, and what was
    /// answered lost.
    Leaving { read: usize },
}

/// What came of looking after a connection.
enum Advance {
    Waits,
    Moves,
    /// All was sent; what was asked, if it was for this page.
    Answered(Option<Request>),
    Over,
}

impl Connection {
    /// Does what can be done without waiting.
    fn advance(&mut self, site: &Site) -> Advance {
        if Instant::now() > self.until {
            return Advance::Over;
        }
        let done = match &mut self.state {
            State::Asking(asked) => {
                let mut chunk = [0; 4096];
                match self.stream.read(&mut chunk) {
                    Ok(0) => return Advance::Over,
                    Ok(count) => asked.extend_from_slice(&chunk[..count]),
                    Err(error) => return waits(&error),
                }
                if !is_whole(asked) && asked.len() < LONGEST {
                    return Advance::Moves;
                }
                let answer = site.answer(asked);
                self.until = Instant::now() + ANSWER;
                self.state = State::Answering { head: answer.head, with_page: answer.with_page, sent: 0, request: answer.request };
                return Advance::Moves;
            }
            State::Answering { head, with_page, sent, request } => {
                let page = if *with_page { site.page.as_bytes() } else { &[] };
                let left = head.get(*sent..).filter(|left| !left.is_empty());
                let left = left.or_else(|| page.get(*sent - head.len()..)).unwrap_or_default();
                match self.stream.write(left) {
                    Ok(0) if !left.is_empty() => return Advance::Over,
                    Ok(count) => *sent += count,
                    Err(error) => return waits(&error),
                }
                if *sent < head.len() + page.len() {
                    return Advance::Moves;
                }
                Advance::Answered(*request)
            }
            State::Leaving { read } => {
                return match self.stream.read(&mut [0; 4096]) {
                    Ok(0) => Advance::Over,
                    Ok(count) => {
                        *read += count;
                        if *read > LONGEST { Advance::Over } else { Advance::Moves }
                    }
                    Err(error) => waits(&error),
                };
            }
        };
        let _ = self.stream.shutdown(Shutdown::Write); // it may have hung up
        self.state = State::Leaving { read: 0 };
        self.until = Instant::now() + LEAVE;
        done
    }
}

/// Whether an error only says that nothing can be done now.
fn waits(error: &std::io::Error) -> Advance {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::Interrupted => Advance::Waits,
        _ => Advance::Over,
    }
}

/// Whether all headers have come.
fn is_whole(asked: &[u8]) -> bool {
    asked.windows(4).any(|end| end == b"\r\n\r\n") || asked.windows(2).any(|end| end == b"\n\n")
}

struct Answer {
    head: Vec<u8>,
    with_page: bool,
    request: Option<Request>,
}

impl Site {
    /// Answers a request.
    fn answer(&self, asked: &[u8]) -> Answer {
        let refused = |status: &str, more: &str| Answer { head: head(status, more), with_page: false, request: None };
        if !is_whole(asked) {
            return refused("431 Request Header Fields Too Large", "Content-Length: 0\r\n");
        }
        let nothing = "Content-Length: 0\r\n";
        let asked = String::from_utf8_lossy(asked);
        let mut lines = asked.lines().take_while(|line| !line.is_empty());
        let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
        let headers: Option<Vec<(&str, &str)>> = lines.map(|line| line.split_once(':')).collect();
        let ([method, path, version], Some(headers)) = (first.as_slice(), headers) else { return refused("400 Bad Request", nothing) };
        if !version.starts_with("HTTP/1.") {
            return refused("400 Bad Request", nothing);
        }
        if !self.is_from_here(&headers) {
            return refused("403 Forbidden", nothing);
        }
        let request = match path.strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str())) {
            Some("/") => Request::Page,
            Some("/alive") => Request::Alive,
            Some("/closed") => Request::Closed,
            _ => return refused("404 Not Found", nothing),
        };
        let length = format!("Content-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n", self.page.len());
        match (request, *method) {
            (Request::Page, "GET") => Answer { head: head("200 OK", &length), with_page: true, request: Some(request) },
            (Request::Page, "HEAD") => refused("200 OK", &length),
            (Request::Alive, "GET") | (Request::Closed, "POST") => {
                Answer { head: head("204 No Content", ""), with_page: false, request: Some(request) }
            }
            (Request::Alive, "HEAD") => refused("204 No Content", ""),
            (Request::Closed, _) => refused("405 Method Not Allowed", "Allow: POST\r\nContent-Length: 0\r\n"),
            _ => refused("405 Method Not Allowed", "Allow: GET, HEAD\r\nContent-Length: 0\r\n"),
        }
    }

    /// Whether a request is for this server, and from its own page or from none.
    fn is_from_here(&self, headers: &[(&str, &str)]) -> bool {
        let of = |wanted: &str| -> Vec<String> {
            let found = headers.iter().filter(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.trim().to_ascii_lowercase()).collect()
        };
        let names = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let own_host = matches!(of("host").as_slice(), [host] if names.contains(host));
        let own = |origin: &String| origin.strip_prefix("http://").is_some_and(|origin| names.iter().any(|name| name == origin));
        own_host && of("origin").iter().all(own)
    }
}

/// The head of an answer: nobody keeps it, takes it for something else, or shows it inside a page
/// of theirs.
fn head(status: &str, more: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\n{more}X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
         X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
    )
    .into_bytes()
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
