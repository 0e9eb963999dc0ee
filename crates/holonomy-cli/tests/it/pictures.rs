//! What there is to look at: the still, the plots, the page, and what `render` and `view` make of a result.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{files, holonomy, text};

fn snake(folder: &Path) {
    let output = holonomy(folder, &["run", "snake", "--quiet", "--set", "picture.width=320", "--set", "picture.height=180"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Width and height of a PNG.
fn png_size(bytes: &[u8]) -> (u32, u32) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (word(16), word(20))
}

#[test]
fn a_run_has_a_still_plots_and_a_page() {
    let dir = tempfile::tempdir().unwrap();
    snake(dir.path());
    let out = dir.path().join("out");
    assert_eq!(png_size(&fs::read(out.join("snake.png")).unwrap()), (320, 180));
    let plots = fs::read_to_string(out.join("snake.svg")).unwrap();
    assert!(plots.starts_with("<svg") && plots.contains("speed") && !plots.contains("NaN"));

    let page = fs::read_to_string(out.join("snake.html")).unwrap();
    let between = |open: &str| page.split_once(open).expect(open).1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(between(r#"<script type="application/json" id="holonomy-data">"#)).unwrap();
    assert_eq!(data["frames"], 241);
    assert_eq!(data["tracks"][0]["positions"].as_array().unwrap().len(), 241);
    assert_eq!(data["tracks"][0]["momentum_kind"], "drag");
    assert!(data["scene_toml"].as_str().unwrap().contains("anisotropy"));
    let model = between(r#"<script type="application/octet-stream" id="holonomy-glb">"#);
    let glb = fs::metadata(out.join("snake.glb")).unwrap().len() as usize;
    assert_eq!(model.len(), glb.div_ceil(3) * 4);
    for loads in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(loads), "nothing to fetch: {loads}");
    }
}

#[test]
fn a_page_does_not_tell_where_the_asset_lay() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("a secret folder");
    fs::create_dir(&secret).unwrap();
    for (frame, height) in [(1, 0.0), (2, 0.1), (3, 0.2)] {
        fs::write(secret.join(format!("w_{frame}.obj")), format!("v 0 0 0\nv 1 0 0\nv 0 {height} 1\nf 1 2 3\n")).unwrap();
    }
    let output = holonomy(dir.path(), &["move", secret.join("w_1.obj").to_str().unwrap(), "--unit", "m", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for name in files(&dir.path().join("out")) {
        let bytes = fs::read(dir.path().join("out").join(&name)).unwrap();
        assert!(!bytes.windows(15).any(|part| part == b"a secret folder"), "{name}");
    }
}

#[test]
fn render_draws_stills_animations_and_frames() {
    let dir = tempfile::tempdir().unwrap();
    snake(dir.path());
    let render = |args: &[&str]| {
        let output = holonomy(dir.path(), &[&["render", "out/snake.glb", "--size", "160x90"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    };
    render(&["--out", "still.png", "--view", "-30,20", "--ghosts", "3"]);
    assert_eq!(png_size(&fs::read(dir.path().join("still.png")).unwrap()), (160, 90));
    render(&["--out", "film.gif", "--fps", "3", "--follow"]);
    assert!(fs::read(dir.path().join("film.gif")).unwrap().starts_with(b"GIF89a"));
    render(&["--out", "film.apng", "--fps", "3"]);
    assert!(fs::read(dir.path().join("film.apng")).unwrap().windows(4).any(|part| part == b"acTL"));
    render(&["--out", "made/frames", "--fps", "2"]);
    let frames = files(&dir.path().join("made/frames"));
    assert!(frames.len() >= 8 && frames.iter().all(|name| name.starts_with("frame_")), "{frames:?}");
    assert_eq!(files(dir.path()), ["film.apng", "film.gif", "made", "out", "still.png"]);
}

/// What cannot be put in place or removed is a result that cannot be written; a folder that cannot be made is a wrong input.
#[test]
fn pictures_that_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    snake(dir.path());
    fs::write(dir.path().join("file"), "").unwrap();
    fs::create_dir_all(dir.path().join("taken/frame_00000.png")).unwrap();
    fs::create_dir_all(dir.path().join("beyond/frame_00008.png")).unwrap();
    let cases: [(&str, &str, i32); 5] = [
        ("taken", "cannot write taken/frame_00000.png", 1),
        ("beyond", "cannot remove beyond/frame_00008.png", 1),
        ("file/frames", "cannot create file/frames", 2),
        ("file/a.png", "--out file: this is a file", 2),
        ("file/a.gif", "--out file: this is a file", 2),
    ];
    for (out, words, code) in cases {
        let output = holonomy(dir.path(), &["render", "out/snake.glb", "--size", "32x18", "--fps", "2", "--quiet", "--out", out]);
        assert_eq!(output.status.code(), Some(code), "{out}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(words), "{out}: {}", text(&output.stderr));
    }
    assert_eq!(files(&dir.path().join("taken")), ["frame_00000.png"]);
}

#[test]
fn render_and_view_refuse_what_is_not_a_result() {
    let dir = tempfile::tempdir().unwrap();
    snake(dir.path());
    let whole = fs::read(dir.path().join("out/snake.glb")).unwrap();
    fs::write(dir.path().join("cut.glb"), &whole[..whole.len() / 2]).unwrap();
    fs::write(dir.path().join("junk.glb"), "junk").unwrap();
    let foreign = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"scene":0,"nodes":[{}]}"#;
    fs::write(dir.path().join("foreign.gltf"), foreign).unwrap();
    fs::write(dir.path().join("other.html"), "<html></html>").unwrap();
    for verb in ["render", "view"] {
        for name in ["cut.glb", "junk.glb", "foreign.gltf", "gone.glb"] {
            let output = holonomy(dir.path(), &[verb, name]);
            assert_eq!(output.status.code(), Some(2), "{verb} {name}");
            assert!(text(&output.stderr).contains(name), "{}", text(&output.stderr));
        }
    }
    assert_eq!(holonomy(dir.path(), &["view", "other.html"]).status.code(), Some(2));
    let ghosts = [["--ghosts", "0"], ["--ghosts", "101"]];
    for args in [["--size", "big"], ["--view", "up"], ["--out", "film.mp4"], ["--fps", "0"]].into_iter().chain(ghosts) {
        let extra: &[&str] = if args[0] == "--fps" { &["--out", "a.gif"] } else { &[] };
        let output = holonomy(dir.path(), &[&["render", "out/snake.glb"], &args[..], extra].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(args[1]), "{}", text(&output.stderr));
    }
    for (size, words) in [("15x90", "15 × 90"), ("160x8193", "160 × 8193")] {
        let output = holonomy(dir.path(), &["render", "out/snake.glb", "--size", size]);
        assert_eq!(output.status.code(), Some(2), "{size}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn view_serves_its_page_to_those_who_know_the_token_until_it_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    snake(dir.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_holonomy"))
        .args(["view", "out/snake.glb", "--no-open"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let (host, token) = address.trim().trim_start_matches("http://").split_once('/').unwrap();
    assert!(host.starts_with("127.0.0.1:") && token.len() == 33, "{address}");
    let ask = |method: &str, path: &str| {
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "{method} /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let page = ask("GET", token);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("holonomy-data") && page.contains("sendBeacon"));
    assert!(ask("GET", "").starts_with("HTTP/1.1 404"));
    assert!(ask("GET", "0123456789abcdef0123456789abcdef/").starts_with("HTTP/1.1 404"));
    assert!(ask("GET", &format!("{token}alive")).starts_with("HTTP/1.1 204"));
    assert!(child.try_wait().unwrap().is_none(), "it serves while the page is open");
    ask("POST", &format!("{token}closed"));
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it stops when the page is closed");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn pictures_of_the_readme_are_there_and_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let shown: Vec<&str> = readme.split("](docs/pictures/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(!shown.is_empty());
    for name in files(&root.join("docs/pictures")) {
        let size = fs::metadata(root.join("docs/pictures").join(&name)).unwrap().len();
        assert!(size < 150_000, "{name} has {size} bytes");
    }
    for name in shown {
        assert!(root.join("docs/pictures").join(name).is_file(), "{name} is missing");
    }
}

#[test]
fn the_page_and_the_engine_have_one_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let package: serde_json::Value = serde_json::from_slice(&fs::read(root.join("studio/package.json")).unwrap()).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_node_that_the_page_needs_is_the_one_that_is_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let package: serde_json::Value = serde_json::from_slice(&fs::read(root.join("studio/package.json")).unwrap()).unwrap();
    let version = package["engines"]["node"].as_str().unwrap().trim_start_matches(">=");
    for file in ["README.md", "crates/holonomy-cli/build.rs", "crates/holonomy-cli/src/fallback.html"] {
        let said = fs::read_to_string(root.join(file)).unwrap();
        assert!(said.contains(&format!("Node.js {version} or newer")), "{file}");
    }
}

#[test]
fn the_plain_page_has_the_places_of_the_full_one() {
    let page = include_str!("../../src/fallback.html");
    for place in [holonomy_scene::export::page::DATA, holonomy_scene::export::page::MODEL] {
        assert_eq!(page.matches(place).count(), 1, "{place}");
    }
    assert!(page.contains("Node.js"), "it says how to get the full one");
    assert!(["src=", "http:", "https:"].iter().all(|loads| !page.contains(loads)), "it loads nothing");
}
