//! What a release needs: licences that may be used, a Rust version that is true, packages that have all they are built of.

use std::process::Command;

use serde_json::Value;

use crate::program::text;

/// Licences that a program under MIT or Apache-2.0 may carry with it. A dependency may be used under any one of those that it offers.
const ALLOWED: [&str; 9] =
    ["0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unicode-3.0", "Zlib"];

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "cargo {args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What this machine builds: crates for other systems may not be here to be asked.
fn packages() -> Vec<Value> {
    let about = cargo(&["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let found = cargo(&["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]);
    let found: Value = serde_json::from_str(&found).unwrap();
    found["packages"].as_array().unwrap().clone()
}

/// Whether each part that must be heeded offers a licence of the list; ANDs stand outside of ORs.
fn may_be_used(licence: &str) -> bool {
    let plain = licence.replace('/', " OR ").replace(['(', ')'], "");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|one| ALLOWED.contains(&one.trim())))
}

#[test]
fn every_dependency_may_be_carried_along() {
    for (licence, may) in [
        ("MIT/Apache-2.0", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0-only", false),
        ("GPL-2.0", false),
        ("", false),
    ] {
        assert_eq!(may_be_used(licence), may, "{licence}");
    }
    let packages = packages();
    assert!(packages.len() > 100, "{}", packages.len()); // measured: 193
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(may_be_used(licence), "{} {}: `{licence}`", package["name"], package["version"]);
    }
}

/// Cargo refuses to build with an older Rust than `rust-version`; what is needed may not be newer than that.
#[test]
fn no_dependency_needs_a_newer_rust_than_is_said() {
    let number = |package: &Value| -> Vec<u32> {
        package["rust_version"].as_str().unwrap_or("1.0").split('.').map(|part| part.parse().unwrap()).collect()
    };
    let packages = packages();
    let own = packages.iter().find(|package| package["name"] == "holonomy-cli").map(&number).unwrap();
    assert!(own >= vec![1, 85], "{own:?} knows no edition 2024");
    for package in &packages {
        assert!(number(package) <= [own.clone(), vec![0]].concat(), "{} needs Rust {}", package["name"], package["rust_version"]);
    }
}

/// Examples and page lie at the root of the repository; packages follow the links to them.
#[test]
fn packages_have_all_that_they_are_built_of() {
    let files = |package: &str| {
        let list = cargo(&["package", "--list", "--no-verify", "--allow-dirty", "--offline", "-p", package]);
        list.lines().map(|line| line.replace('\\', "/")).collect::<Vec<_>>()
    };
    let scene = files("holonomy-scene");
    for example in holonomy_scene::examples::ALL {
        let path = format!("examples/{}/{}.toml", example.system, example.name);
        assert!(scene.contains(&path), "{path} is not in the package");
    }
    let program = files("holonomy-cli");
    for path in ["studio/package.json", "studio/package-lock.json", "studio/index.html", "studio/vite.config.ts", "studio/src/main.ts"] {
        assert!(program.iter().any(|file| file == path), "{path} is not in the package");
    }
    assert!(program.iter().all(|file| !file.contains("node_modules")), "what npm installed is in the package");
    for files in [files("holonomy"), scene, program] {
        // They read what lies around the crate in the repository.
        assert!(files.iter().all(|file| !file.starts_with("tests/")), "tests are in the package");
        for path in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(files.iter().any(|file| file == path), "{path} is not in the package");
        }
    }
}
