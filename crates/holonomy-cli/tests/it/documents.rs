//! The pages of docs/systems keep up with what they describe.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::holonomy;

/// A page, and the parts of the scene file whose fields it lists.
const PAGES: [(&str, &[&str]); 6] = [
    ("shape-change", &["ShapeChange"]),
    ("flow", &["Flow"]),
    ("vehicles", &["Driving", "Comparison"]),
    ("plans", &["Plan"]),
    ("loops", &["Loop"]),
    ("creatures", &["CreatureWorld", "Myriapod"]),
];

#[test]
fn the_page_of_a_system_names_all_its_fields() {
    let dir = tempfile::tempdir().unwrap();
    let schema: Value = serde_json::from_slice(&holonomy(dir.path(), &["schema"]).stdout).unwrap();
    for (page, parts) in PAGES {
        let text = fs::read_to_string(folder().join(format!("{page}.md"))).unwrap();
        for part in parts {
            let fields = schema["$defs"][part]["properties"].as_object().unwrap_or_else(|| panic!("no {part} in the schema"));
            for field in fields.keys() {
                let named = [format!("`{field}`"), format!("`{field}.")].iter().any(|name| text.contains(name.as_str()));
                assert!(named, "docs/systems/{page}.md does not name the field `{field}` of {part}: add it to the table of options");
            }
        }
    }
}

#[test]
fn what_the_pages_link_to_is_there() {
    for (page, _) in PAGES {
        let text = fs::read_to_string(folder().join(format!("{page}.md"))).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let own = format!("{page}.md");
            let target = folder().join(if file.is_empty() { &own } else { file });
            assert!(target.exists(), "docs/systems/{page}.md: {link} is missing");
            let headings = || fs::read_to_string(&target).unwrap_or_default();
            let found = heading.is_empty() || headings().lines().any(|line| anchor(line).as_deref() == Some(heading));
            assert!(found, "docs/systems/{page}.md: {link} names no heading");
        }
    }
}

/// The anchor by which a line of Markdown can be linked to, if it is a heading.
fn anchor(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/systems")
}
