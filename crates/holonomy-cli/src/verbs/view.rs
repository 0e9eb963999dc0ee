//! `holonomy view`: the page of a result, in the browser.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use holonomy_scene::export::page;
use holonomy_scene::memory;
use holonomy_scene::result::{SavedResult, mixed_up};
use holonomy_scene::words;
use serde_json::json;

use super::{Ending, named_in_unicode};
use crate::args::View;
use crate::{output, serve};

/// Serves the page that stands beside the result until it is closed.
pub fn result(args: &View) -> Result<Ending> {
    named_in_unicode(&args.result)?;
    let page = find_page(&args.result)?;
    let notes = mixed_up(&args.result);
    notes.iter().for_each(|note| tell!("warning: {note}"));
    serve::until_closed(&page, !args.no_open, |address| {
        if args.json {
            output::document(&format!("{:#}", json!({ "address": address, "notes": notes })));
        } else {
            say!("{address}");
        }
    })?;
    Ok(Ending::Done)
}

fn find_page(result: &Path) -> Result<String> {
    let ending = result.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if ending == "glb" || ending == "gltf" {
        SavedResult::open(result)?; // says what is wrong with a file that is not ours
    }
    let path = result.with_extension("html");
    if path.is_file() {
        memory::ensure_file(&path, 3)?; // the text, and what is served of it
    }
    let page = std::fs::read_to_string(&path).map_err(|error| {
        anyhow!(
            "cannot read {}: {error}\n  fix: give a result whose page stands beside it; `holonomy run` and `holonomy move` write it",
            words::of_path(&path)
        )
    })?;
    let opening = page::DATA.trim_end_matches("</script>");
    if !page.contains(opening) || page.contains(page::DATA) {
        bail!(
            "{}: this is not the page of a result\n  fix: give the .html that `holonomy run` or `holonomy move` wrote",
            words::of_path(&path)
        );
    }
    Ok(page)
}
