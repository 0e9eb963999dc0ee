//! What the program writes for browsers and spreadsheets guards against what texts may hold.

use std::fs;

use holonomy_scene::export::page::{source_of, with_hashes};

use crate::program::{holonomy, text};

/// The policy of a page, and the sources that its own scripts and styles have in it.
fn policy(page: &str) -> (String, Vec<String>) {
    let policy = page.split_once("Content-Security-Policy\" content=\"").expect("a policy").1.split_once('"').unwrap().0;
    let own = |element: &str| -> Vec<String> {
        let (opening, closing) = (format!("<{element}>"), format!("</{element}>"));
        page.split(&opening).skip(1).map(|part| source_of(part.split_once(&closing).unwrap().0)).collect()
    };
    (policy.to_owned(), [own("script"), own("style")].concat())
}

/// Scripts were allowed from anywhere in the page ('unsafe-inline'); the plain page and the
/// gallery had no policy at all.
#[test]
fn pages_allow_their_own_scripts_and_styles_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    let output = holonomy(dir.path(), &["examples", "three-link", "--gallery", "shown", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for name in ["three-link.html", "index.html"] {
        let page = fs::read_to_string(dir.path().join("shown").join(name)).unwrap();
        let (policy, own) = policy(&page);
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{name}: {policy}");
        assert!(!policy.contains("unsafe"), "{name}: {policy}");
        assert_eq!(policy.matches("'sha256-").count(), own.len(), "{name}: {policy}");
        assert!(own.len() >= 2 && own.iter().all(|source| policy.contains(source)), "{name}: {own:?} in {policy}");
    }
    let plain = with_hashes(include_str!("../../src/fallback.html"));
    let (policy, own) = policy(&plain);
    assert!(!policy.contains("unsafe") && own.len() == 2 && own.iter().all(|source| policy.contains(source)), "{policy}");
}

/// The value of the recommendation's own example.
#[test]
fn sources_are_those_of_the_recommendation() {
    // W3C, Content Security Policy Level 3, 8.3.
    assert_eq!(source_of("alert('Hello, world.');"), "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
    assert_eq!(source_of("a\r\nb\rc"), source_of("a\nb\nc"), "a browser reads a line end as one letter");
    let page = "<meta content=\"script-src 'unsafe-inline'\"><script type=\"application/json\">x</script><script>\ny</script>";
    assert!(with_hashes(page).contains(&format!("script-src {}\">", source_of("\ny"))), "data is no script");
}

/// `=1+1` stood in the table as it was typed, and a spreadsheet would have worked it out.
#[test]
fn a_table_has_no_formulas() {
    let dir = tempfile::tempdir().unwrap();
    let sweep = [
        "sweep",
        "snake",
        "--set",
        "cycles=1",
        "--set",
        "fps=12",
        "--vary",
        "title==1+1,@SUM(A1),+x,b",
        "--vary",
        "picture.azimuth=-30..30deg:2",
    ];
    let output = holonomy(dir.path(), &sweep);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = fs::read_to_string(dir.path().join("out/snake.sweep.csv")).unwrap();
    let cells: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').take(2).collect()).collect();
    let titles: Vec<&str> = cells.iter().step_by(2).map(|row| row[0]).collect();
    assert_eq!(titles, ["\"'=1+1\"", "\"'@SUM(A1)\"", "\"'+x\"", "b"], "{table}");
    assert_eq!([cells[0][1], cells[1][1]], ["-30", "30"], "numbers stay numbers");
}
