//! The page of a result: one HTML file with the moving model beside its plots, which opens from disk.
//!
//! The page itself is built elsewhere (`studio/`); here its two empty elements are filled with the result.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use holonomy::lie::Momentum;
use holonomy::motion::{Line, MomentumKind, Motion, Quantity, Series};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::summary::Summary;
use crate::Error;

/// The element of the page's template that takes the numbers, as JSON.
pub const DATA: &str = r#"<script type="application/json" id="holonomy-data"></script>"#;
/// The element of the page's template that takes the model, as base64 of a `.glb`.
pub const MODEL: &str = r#"<script type="application/octet-stream" id="holonomy-glb"></script>"#;

/// Writes into the Content-Security-Policy of `page`, in the place of `'unsafe-inline'`, the
/// SHA-256 of each script and of each style that stands in the page: so a browser runs these and
/// no others, whatever text got into the page. Elements that hold data are no scripts.
///
/// A page whose policy says no `'unsafe-inline'`, or that has none, stays as it is.
pub fn with_hashes(page: &str) -> String {
    let hashed = |directive: &str, sources: Vec<&str>, page: String| {
        let sources: Vec<String> = sources.into_iter().map(source_of).collect();
        let sources = if sources.is_empty() { "'none'".to_owned() } else { sources.join(" ") };
        page.replacen(&format!("{directive} 'unsafe-inline'"), &format!("{directive} {sources}"), 1)
    };
    let page_with_scripts = hashed("script-src", inline(page, "script"), page.to_owned());
    hashed("style-src", inline(page, "style"), page_with_scripts)
}

/// Returns the name of a script or a style in a Content-Security-Policy: `'sha256-…'`.
pub fn source_of(content: &str) -> String {
    // Browsers read a line end as one letter, however it is written.
    let hash = Sha256::digest(content.replace("\r\n", "\n").replace('\r', "\n"));
    format!("'sha256-{}'", BASE64_STANDARD.encode(hash))
}

/// The contents of the elements of this kind that stand in the page itself and are no data.
fn inline<'a>(page: &'a str, element: &str) -> Vec<&'a str> {
    let (opening, closing) = (format!("<{element}"), format!("</{element}"));
    let (mut found, mut rest) = (Vec::new(), page);
    while let Some((_, after)) = rest.split_once(&opening) {
        let Some((attributes, content)) = after.split_once('>') else { break };
        let Some((content, after)) = content.split_once(&closing) else { break };
        rest = after;
        let is_data = attributes.contains("type=\"application/");
        if attributes.is_empty() || (attributes.starts_with(char::is_whitespace) && !is_data && !attributes.contains("src=")) {
            found.push(content);
        }
    }
    found
}

/// What a page shows.
#[derive(Debug)]
pub struct PageContents<'a> {
    /// The scene's title.
    pub title: &'a str,
    /// The scene file.
    pub scene_toml: &'a str,
    /// Name of the glTF animation to play.
    pub clip: &'a str,
    /// For each track, the glTF node that carries its motion.
    pub nodes: &'a [&'a str],
    /// The motion.
    pub motion: &'a Motion,
    /// Its summary.
    pub summary: &'a Summary,
    /// Height of still water, metres; water that moves is in the model.
    pub water: Option<f64>,
    /// The moving result.
    pub glb: &'a [u8],
    /// Metres per unit of the model.
    pub unit: f64,
}

/// The page of a result, from the template; of scripts and styles it allows those of the template
/// alone.
///
/// # Errors
/// The template lacks one of its two places.
pub fn fill(template: &str, contents: &PageContents) -> Result<String, Error> {
    let template = with_hashes(template);
    let (before, rest) = template.split_once(DATA).ok_or_else(|| incomplete(DATA))?;
    let (between, after) = rest.split_once(MODEL).ok_or_else(|| incomplete(MODEL))?;
    // A "</script>" in the scene file must not end the element.
    let json = data(contents).to_string().replace('<', "\\u003c");
    let open = |element: &'static str| element.trim_end_matches("</script>");
    let mut page = String::with_capacity(template.len() + json.len() + contents.glb.len() * 4 / 3 + 64);
    for part in [before, open(DATA), &json, "</script>", between, open(MODEL)] {
        page.push_str(part);
    }
    BASE64_STANDARD.encode_string(contents.glb, &mut page);
    page.push_str("</script>");
    page.push_str(after);
    Ok(page)
}

fn incomplete(element: &str) -> Error {
    Error::export("the page", format!("its template has no {element}"), "build the program anew")
}

fn data(contents: &PageContents) -> Value {
    let motion = contents.motion;
    let kind = match motion.momentum_kind {
        MomentumKind::Momentum => "momentum",
        MomentumKind::Drag => "drag",
    };
    // Water and food are in the model; there is nothing to be told of them.
    let tracks: Vec<Value> = motion
        .bodies()
        .into_iter()
        .filter_map(|i| motion.tracks.get(i).zip(contents.nodes.get(i)))
        .map(|(track, node)| {
            json!({
                "name": track.name,
                "node": node,
                "momentum_kind": kind,
                "positions": track.poses.iter().map(|pose| numbers(pose.translation.iter())).collect::<Vec<_>>(),
                "rotations": track.poses.iter().map(|pose| numbers(pose.rotation.coords.iter())).collect::<Vec<_>>(),
                "twists": track.twists.iter().map(|t| numbers(t.angular.iter().chain(t.linear.iter()))).collect::<Vec<_>>(),
                "momenta": sixes(&track.momenta),
                "wrenches": sixes(&track.wrenches),
                "centers": track.centers.iter().map(|center| numbers(center.iter())).collect::<Vec<_>>(),
                "series": track.series.iter().map(series).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": contents.summary.scene,
        "title": contents.title,
        "system": contents.summary.system,
        "scene_toml": contents.scene_toml,
        "clip": contents.clip,
        "unit": contents.unit,
        "water": contents.water,
        "dt": motion.dt,
        "frames": motion.frames(),
        "summary": contents.summary,
        "tracks": tracks,
    })
}

fn series(series: &Series) -> Value {
    let Quantity { name, unit, among, line } = series.quantity;
    let line = match line {
        Line::Straight => "straight",
        Line::Logarithmic => "logarithmic",
        Line::Steps => "steps",
    };
    json!({ "name": name, "unit": unit, "among": among, "line": line, "values": numbers(series.values.iter()) })
}

fn sixes(momenta: &[Momentum]) -> Vec<Vec<Value>> {
    momenta.iter().map(|m| numbers(m.angular.iter().chain(m.linear.iter()))).collect()
}

/// Numbers as a picture needs them: seven digits, which halves the page. What is not finite becomes null.
fn numbers<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<Value> {
    values.map(|value| Value::from(format!("{value:.6e}").parse::<f64>().unwrap_or(f64::NAN))).collect()
}
