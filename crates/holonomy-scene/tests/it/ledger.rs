//! docs/papers.md, the ledger of the papers, keeps its form and names only what is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What the state of an item may be.
const STATES: [&str; 6] = ["whole", "partial", "toy", "wrong", "missing", "needs data"];

/// The header of each table.
const HEADER: [&str; 4] = ["item", "state", "shown by", "what differs, and why"];

/// What a cell holds that has nothing to say.
const NOTHING: &str = "–";

/// What the ledger may name.
#[derive(Default)]
struct Names {
    /// Built-in examples.
    examples: BTreeSet<String>,
    /// Tests of the engine and of the scenes, as `file::module::function`.
    engine: Vec<String>,
    scene: Vec<String>,
    benches: BTreeSet<String>,
}

impl Names {
    /// Reads them off the sources.
    fn of_the_repository() -> Names {
        Names {
            examples: stems(&root().join("examples")),
            engine: tests(&root().join("crates/holonomy/tests/it"), ""),
            scene: tests(&root().join("crates/holonomy-scene/tests/it"), ""),
            benches: names_in(&root().join("crates/holonomy/benches")),
        }
    }

    /// Whether `token` (`NAME`, `E FILTER`, `S FILTER`, `B NAME`) is there.
    fn has(&self, token: &str) -> bool {
        let among = |all: &[String], filter: &str| !filter.is_empty() && all.iter().any(|test| test.contains(filter));
        match token.split_once(' ') {
            Some(("E", filter)) => among(&self.engine, filter),
            Some(("S", filter)) => among(&self.scene, filter),
            Some(("B", bench)) => self.benches.contains(bench),
            Some(_) => false,
            None => self.examples.contains(token),
        }
    }
}

/// Returns what is wrong with a ledger: a sentence for each fault.
fn faults(text: &str, names: &Names) -> Vec<String> {
    let mut faults = Vec::new();
    let mut sections: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    let intro = text.split("\n## ").next().unwrap_or_default();
    for state in STATES.iter().filter(|state| !intro.contains(&format!("`{state}`"))) {
        faults.push(format!("the first lines do not say what `{state}` means"));
    }
    for (i, line) in text.lines().enumerate() {
        let at = |fault: String| format!("line {}: {fault}", i + 1);
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, BTreeSet::new()));
        }
        let Some(row) = line.trim().strip_prefix('|') else { continue };
        let cells: Vec<&str> = row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim).collect();
        let rule = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| c == '-' || c == ':'));
        if rule || cells == HEADER {
            continue;
        }
        let (Ok([item, state, shown, why]), Some((_, items))) = (<[&str; 4]>::try_from(cells), sections.last_mut()) else {
            faults.push(at("a row has four cells and stands in the section of a paper".into()));
            continue;
        };
        faults.extend(row_faults([item, state, shown, why], names).into_iter().map(at));
        if !items.insert(item) {
            faults.push(at(format!("`{item}` has a row already")));
        }
    }
    if sections.len() != 5 {
        faults.push(format!("there are five papers, not {}", sections.len()));
    }
    for (title, _) in sections.iter().filter(|(_, items)| items.is_empty()) {
        faults.push(format!("`{title}` has no rows"));
    }
    faults
}

fn row_faults([item, state, shown, why]: [&str; 4], names: &Names) -> Vec<String> {
    let mut faults = Vec::new();
    if [item, state, shown, why].contains(&"") {
        faults.push(format!("a cell is empty; write {NOTHING} where there is nothing to say"));
    }
    if !STATES.contains(&state) {
        faults.push(format!("`{state}` is no state"));
    }
    let tokens = tokens(shown);
    let unshown = state == "missing" || state == "needs data";
    match (shown == NOTHING, unshown) {
        (true, false) => faults.push(format!("what is `{state}` names an example or a test")),
        (false, true) => faults.push(format!("what is `{state}` is shown by nothing")),
        (false, false) if tokens.is_none() => faults.push(format!("`{shown}` is no list of names in backticks")),
        _ => {}
    }
    for token in tokens.unwrap_or_default().into_iter().filter(|token| !names.has(token)) {
        faults.push(format!("there is no `{token}`"));
    }
    if why == NOTHING && state != "whole" {
        faults.push(format!("what is `{state}` says what differs and why"));
    }
    faults
}

/// The names of a list such as "`snake`, `E lie::`"; none if it is no such list.
fn tokens(cell: &str) -> Option<Vec<&str>> {
    cell.split(", ").map(|part| part.strip_prefix('`')?.strip_suffix('`').filter(|name| !name.contains('`'))).collect()
}

#[test]
fn the_ledger_of_the_papers_names_what_is_there() {
    let text = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let names = Names::of_the_repository();
    let found = [names.examples.len(), names.engine.len(), names.scene.len(), names.benches.len()];
    assert!(found[0] > 80 && found[1] > 700 && found[2] > 200 && found[3] > 4, "{found:?}"); // 83, 766, 282, 5
    let faults = faults(&text, &names);
    assert!(faults.is_empty(), "docs/papers.md:\n{}", faults.join("\n"));
}

#[test]
fn a_bad_ledger_is_refused() {
    let strings = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<String>>();
    let names = Names {
        examples: strings(&["snake"]).into_iter().collect(),
        engine: strings(&["shape_change::a_scallop_gets_nowhere"]),
        scene: strings(&["lamprey::a_lamprey_swims"]),
        benches: strings(&["flow"]).into_iter().collect(),
    };
    let ledger = |row: &str| {
        let intro = STATES.map(|state| format!("- `{state}`: so.")).join("\n");
        let table = "| item | state | shown by | what differs, and why |\n|---|---|---|---|\n| Fig. 1 | whole | `snake` | – |";
        let papers = ["A", "B", "C", "D", "E"].map(|paper| format!("## {paper}\n\n{table}\n")).join("\n");
        format!("# Ledger\n\n{intro}\n\n{papers}{row}\n")
    };
    let good = [
        "| Fig. 2 | partial | `snake`, `E shape_change::a_scallop`, `S lamprey`, `B flow` | Less. |",
        "| Fig. 2 | missing | – | Not drawn. |",
        "| Fig. 2 | needs data | – | Theirs. |",
    ];
    for row in good {
        assert_eq!(faults(&ledger(row), &names), Vec::<String>::new(), "{row}");
    }
    let bad = [
        ("| Fig. 2 | nearly | `snake` | Less. |", "no state"),
        ("| Fig. 2 | partial | `snake` |", "four cells"),
        ("| Fig. 2 | partial | `snake` | Less. | more |", "four cells"),
        ("| Fig. 2 | partial | `snake` | |", "empty"),
        ("| | whole | `snake` | – |", "empty"),
        ("| Fig. 2 | partial | `sneak` | Less. |", "no `sneak`"),
        ("| Fig. 2 | partial | `E a_mussel` | Less. |", "no `E a_mussel`"),
        ("| Fig. 2 | partial | `S a_scallop` | Less. |", "no `S a_scallop`"),
        ("| Fig. 2 | partial | `B walk` | Less. |", "no `B walk`"),
        ("| Fig. 2 | partial | `X flow` | Less. |", "no `X flow`"),
        ("| Fig. 2 | partial | snake | Less. |", "backticks"),
        ("| Fig. 2 | toy | – | Less. |", "names an example"),
        ("| Fig. 2 | missing | `snake` | Less. |", "shown by nothing"),
        ("| Fig. 2 | partial | `snake` | – |", "what differs"),
        ("| Fig. 1 | whole | `snake` | – |", "a row already"),
        ("## F\n\n| Fig. 1 | whole | `snake` | – |", "five papers"),
        ("## F", "no rows"),
    ];
    for (row, fault) in bad {
        let found = faults(&ledger(row), &names);
        assert!(found.iter().any(|text| text.contains(fault)), "{row}: {found:?}");
    }
    let silent = ledger("").replace("`toy`", "toy");
    assert!(faults(&silent, &names).iter().any(|text| text.contains("`toy` means")));
}

#[test]
fn the_readme_leads_to_the_ledger() {
    assert!(fs::read_to_string(root().join("README.md")).unwrap().contains("(docs/papers.md)"));
}

/// The tests in the files of a folder, as `file::module::function`.
fn tests(folder: &Path, path: &str) -> Vec<String> {
    let mut all = Vec::new();
    for name in names_in(folder) {
        let stem = name.strip_suffix(".rs").unwrap_or(&name);
        let inner = if ["main", "mod"].contains(&stem) { path.to_owned() } else { format!("{path}{stem}::") };
        if folder.join(&name).is_dir() {
            all.extend(tests(&folder.join(&name), &inner));
            continue;
        }
        let (mut module, mut marked) = (String::new(), false);
        for line in fs::read_to_string(folder.join(&name)).unwrap().lines() {
            if let Some(inline) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
                module = format!("{inline}::");
            } else if line == "}" && !module.is_empty() {
                module.clear();
            }
            let line = line.trim();
            if let (true, Some(function)) = (marked, line.strip_prefix("fn ").and_then(|rest| rest.split('(').next())) {
                all.push(format!("{inner}{module}{function}"));
            }
            marked = line == "#[test]" || marked && line.starts_with("#[");
        }
    }
    all
}

/// Names of the files in the folders of a folder, without their ends.
fn stems(folder: &Path) -> BTreeSet<String> {
    let files = names_in(folder).into_iter().flat_map(|inner| names_in(&folder.join(inner)));
    files.filter_map(|file| file.strip_suffix(".toml").map(ToOwned::to_owned)).collect()
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
