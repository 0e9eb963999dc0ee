//! Builds the page of `studio/` into one file that the program carries, where npm is present; elsewhere the program
//! carries a plain page of its own. The crate's folder has a link to `studio/`, which packages follow. Built once per state of `studio/`, shared by all profiles.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the page is made of; the rest of `studio/` are its tests.
const SOURCES: [&str; 7] = ["package.json", "package-lock.json", ".npmrc", "index.html", "vite.config.ts", "tsconfig.json", "src"];

fn main() {
    let studio = Path::new(env!("CARGO_MANIFEST_DIR")).join("studio");
    println!("cargo:rerun-if-changed=src/fallback.html");
    println!("cargo:rerun-if-env-changed=HOLONOMY_PLAIN_PAGE");
    SOURCES
        .iter()
        .map(|name| studio.join(name))
        .filter(|path| path.exists())
        .for_each(|path| println!("cargo:rerun-if-changed={}", path.display()));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let built = match std::env::var_os("HOLONOMY_PLAIN_PAGE") {
        Some(_) => Err("HOLONOMY_PLAIN_PAGE is set".into()),
        None => full_page(&studio, &out),
    };
    let (page, kind) = match built {
        Ok(page) => (page, "full"),
        Err(why) => {
            println!("cargo:warning=results get the plain page, not the 3D one: {why}");
            (fs::read_to_string("src/fallback.html").expect("src/fallback.html is part of the crate"), "plain")
        }
    };
    fs::write(out.join("page.html"), page).expect("OUT_DIR is writable");
    println!("cargo:rustc-env=HOLONOMY_PAGE_KIND={kind}");
}

/// The page built by Vite, or why there is none.
fn full_page(studio: &Path, out: &Path) -> Result<String, String> {
    let files = sources(studio).map_err(|error| format!("studio/ cannot be read: {error}"))?;
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    // OUT_DIR is target/PROFILE/build/holonomy-cli-HASH/out.
    let target = out.ancestors().nth(4).ok_or("there is no target folder")?;
    let page = target.join(format!("studio-{:016x}.html", hasher.finish()));
    if !page.is_file() {
        // Other profiles may build at the same time: each in a folder of its own, and the page appears when it is whole.
        let folder = page.with_extension(std::process::id().to_string());
        let built = build(&files, &folder).and_then(|built| fs::rename(built, &page).map_err(|error| error.to_string()));
        let _ = fs::remove_dir_all(&folder); // what npm installed is large; left behind it does no harm
        built?;
    }
    fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))
}

/// Builds the page of these files in `folder`; where it is.
fn build(files: &[(PathBuf, Vec<u8>)], folder: &Path) -> Result<PathBuf, String> {
    for (name, contents) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder)).and_then(|()| fs::write(&path, contents)).map_err(|error| error.to_string())?;
    }
    npm(folder, &["ci", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"])?;
    npm(folder, &["run", "build", "--silent"])?;
    Ok(folder.join("dist/index.html"))
}

fn npm(folder: &Path, args: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(args).current_dir(folder).output();
    let output = output.map_err(|_| "npm was not found; install Node.js 20.19 or newer and build again".to_owned())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "npm {} failed: {}",
            args[0],
            String::from_utf8_lossy(&output.stderr).lines().take(3).collect::<Vec<_>>().join(" ")
        )),
    }
}

/// Paths below `studio/` and their contents, sorted.
fn sources(studio: &Path) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = SOURCES.iter().map(|name| studio.join(name)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            fs::read_dir(&path)?.try_for_each(|entry| entry.map(|entry| open.push(entry.path())))?;
        } else {
            let name = path.strip_prefix(studio).unwrap_or(&path).to_owned();
            files.push((name, fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
