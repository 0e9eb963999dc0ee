//! `holonomy view`: who is answered, and how long anybody may hold a connection.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::{holonomy, text};

/// `holonomy view` of the snake.
fn view(folder: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_holonomy"));
    command.args(["view", "out/snake.glb", "--no-open"]).args(more).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// A page that is served, until this is dropped.
struct Served {
    program: Child,
    host: String,
    token: String,
    _folder: tempfile::TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Served {
    fn begin() -> Served {
        let dir = tempfile::tempdir().unwrap();
        let output = holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let mut program = view(dir.path(), &[]);
        let mut address = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let (host, token) = address.trim().trim_start_matches("http://").trim_end_matches('/').split_once('/').unwrap();
        Served { program, host: host.into(), token: token.into(), _folder: dir }
    }

    fn port(&self) -> &str {
        self.host.split_once(':').unwrap().1
    }

    /// The answer's head and body to a request with these headers.
    fn ask(&self, method: &str, path: &str, headers: &[String]) -> (String, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.into(), body.into())
    }
}

/// One document, which also says that summary and model are of two runs.
#[test]
fn the_address_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["run", "snake", "--quiet", "--set", "cycles=1"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json = dir.path().join("out/snake.json");
    let mut summary: serde_json::Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    summary["sha256"]["snake.glb"] = "0".repeat(64).into();
    fs::write(&json, summary.to_string()).unwrap();
    let mut program = view(dir.path(), &["--json"]);
    let mut document = serde_json::Deserializer::from_reader(program.stdout.take().unwrap()).into_iter::<serde_json::Value>();
    let document = document.next().unwrap().unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(document["address"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{document}");
    assert!(document["notes"][0].as_str().unwrap().contains("snake.json is of another run"), "{document}");
}

/// The token alone stood guard: a foreign name that points at 127.0.0.1 got the page, and so did
/// DELETE.
#[test]
fn only_the_page_itself_and_whoever_types_its_address_are_answered() {
    let served = Served::begin();
    let page = format!("/{}/", served.token);
    let port = served.port();
    let own = vec![format!("Host: {}", served.host)];
    let (head, body) = served.ask("GET", &page, &own);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && body.contains("holonomy-data"), "{head}");
    for header in ["X-Content-Type-Options: nosniff", "Cache-Control: no-store", "Content-Type: text/html; charset=utf-8"] {
        assert!(head.contains(header), "{head}");
    }
    let length = format!("Content-Length: {}", body.len());
    assert!(head.contains(&length), "{head}");
    let (head, body) = served.ask("HEAD", &page, &own);
    assert!(head.starts_with("HTTP/1.1 200") && head.contains(&length) && body.is_empty(), "{head}");

    let with = |more: &[&str]| -> Vec<String> { own.iter().cloned().chain(more.iter().map(|text| text.to_string())).collect() };
    let host = |name: &str| vec![format!("Host: {name}")];
    let cases: [(&str, Vec<String>, &str); 16] = [
        ("GET", host(&format!("localhost:{port}")), "200"),
        ("GET", with(&[&format!("Origin: http://127.0.0.1:{port}")]), "200"),
        ("GET", with(&[&format!("origin: http://LOCALHOST:{port}")]), "200"),
        ("GET", host(&format!("evil.example:{port}")), "403"),
        ("GET", host("127.0.0.1"), "403"),
        ("GET", host("127.0.0.1:1"), "403"),
        ("GET", vec![], "403"),
        ("GET", with(&[&format!("Host: evil.example:{port}")]), "403"),
        ("GET", with(&["Origin: http://evil.example"]), "403"),
        ("GET", with(&["Origin: null"]), "403"),
        ("GET", with(&[&format!("Origin: https://127.0.0.1:{port}")]), "403"),
        ("POST", own.clone(), "405"),
        ("DELETE", own.clone(), "405"),
        ("PUT", own.clone(), "405"),
        ("OPTIONS", own.clone(), "405"),
        ("GET", with(&["no colon"]), "400"),
    ];
    for (method, headers, status) in cases {
        let (head, body) = served.ask(method, &page, &headers);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{method} {headers:?}: {head}");
        assert!((status == "200") == body.contains("holonomy-data"), "{method} {headers:?}");
        assert_eq!(head.contains("Allow: GET, HEAD"), status == "405", "{head}");
        assert!(head.contains("nosniff"), "{head}");
    }
    assert!(served.ask("GET", &format!("/{}/closed", served.token), &own).0.contains("Allow: POST"));
    assert!(served.ask("GET", "/", &own).0.starts_with("HTTP/1.1 404"));
    assert!(served.ask("GET", &page, &with(&[&format!("X-Long: {}", "x".repeat(20_000))])).0.starts_with("HTTP/1.1 431"));
}

/// A client that dripped a byte every now and then held a thread for up to 65 536 of them.
#[test]
fn a_slow_client_is_dropped_and_many_idle_ones_hold_nobody_up() {
    let served = Served::begin();
    let own = [format!("Host: {}", served.host)];
    let dripped = |begin: &str| {
        let mut stream = TcpStream::connect(&served.host).unwrap();
        stream.write_all(begin.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut read = [0; 4096];
        for dripped in 0..600 {
            std::thread::sleep(Duration::from_millis(100));
            match stream.read(&mut read) {
                Err(error) if error.kind() != ErrorKind::WouldBlock => return dripped,
                _ => {}
            }
            if stream.write_all(b"x").is_err() {
                return dripped;
            }
        }
        600
    };
    // 2 s are 20 of them; a loaded machine may be slower by a lot.
    for begin in [format!("GET /{}/ HTTP/1.1\r\n", served.token), format!("GET /none HTTP/1.1\r\nHost: {}\r\n\r\n", served.host)] {
        let dripped = dripped(&begin);
        assert!(dripped < 300, "dropped after {dripped} bytes, a tenth of a second each, of {begin:?}");
    }
    // More than may be open at a time.
    let idle: Vec<TcpStream> = (0..600).map_while(|_| TcpStream::connect(&served.host).ok()).collect();
    assert!(idle.len() > 300, "{}", idle.len());
    let (head, _) = served.ask("GET", &format!("/{}/", served.token), &own);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    #[cfg(target_os = "linux")]
    {
        let open = fs::read_dir(format!("/proc/{}/fd", served.program.id())).unwrap().count();
        assert!(open <= 256 + 32, "{open} files are open");
        let status = fs::read_to_string(format!("/proc/{}/status", served.program.id())).unwrap();
        let threads: usize = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap().trim().parse().unwrap();
        let at_most = std::thread::available_parallelism().map_or(8, usize::from) + 4;
        assert!(threads <= at_most, "{threads} threads");
    }
}
