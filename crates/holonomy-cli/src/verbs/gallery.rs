//! `holonomy examples --gallery DIR`: runs the examples, one after another, and puts their pictures on one page.
//!
//! Beside the files of each run lies `NAME.gallery.json` with its scene file and its summary. An example is not run again where that is its scene
//! file, and the summary that of this version and of the `NAME.json` that is there. Those with a mesh from outside are always run.

use std::fs;
use std::path::Path;

use anyhow::{Result, anyhow};
use holonomy_scene::examples::{ALL, Example};
use holonomy_scene::export::files::write_atomically;
use holonomy_scene::export::summary::{Summary, SummaryOutcome};
use holonomy_scene::job::{Job, check_place};
use holonomy_scene::{result, words};
use serde_json::{Value, json};

use super::examples::Shown;
use super::{Ending, run};
use crate::args::Examples;
use crate::{PAGE, interrupt, output, report};

/// The page but for what is in it.
const TEMPLATE: &str = include_str!("gallery.html");
/// What tells it from others.
const TITLE: &str = "<title>Holonomy: examples</title>";

/// What came of an example.
enum State {
    /// It ran, now or before; its checks may have failed.
    Ran(Box<Summary>),
    /// It could not be run.
    Failed(String),
    /// It needs what is not here.
    Skipped(String),
    /// Its turn did not come.
    Waiting,
}

/// Runs what is not there yet, then writes the page of all. `others` are the examples that were
/// not asked for: those that are in the folder already stay on its page.
pub fn make(chosen: &[Shown], others: &[Shown], folder: &Path, args: &Examples) -> Result<Ending> {
    interrupt::listen();
    run::writable(folder)?;
    let file = folder.join("index.html");
    if fs::read_to_string(&file).map_or(file.exists(), |page| !page.contains(TITLE)) {
        let path = words::of_path(&file);
        return Err(anyhow!("{path}: this is no page of examples, and would be overwritten\n  fix: give another folder with --gallery"));
    }
    let visible = !args.quiet && !args.json;
    let mut states = Vec::new();
    let mut found = 0;
    for (i, one) in chosen.iter().enumerate() {
        let state = if interrupt::asked() {
            State::Waiting
        } else if let Some(summary) = there(one, folder) {
            found += 1;
            State::Ran(Box::new(summary))
        } else {
            run_one(one, folder, &report::Bar::new(&format!("{}/{} {}", i + 1, chosen.len(), one.example.name), visible))?
        };
        if let (State::Failed(why) | State::Skipped(why), true) = (&state, visible) {
            tell!("{}", why);
        }
        states.push(state);
    }
    let kept = others.iter().filter_map(|one| Some((one, State::Ran(Box::new(there(one, folder)?)))));
    let kept: Vec<(&Shown, State)> = kept.collect();
    let mut entries: Vec<(&Shown, &State)> = chosen.iter().zip(&states).chain(kept.iter().map(|(one, state)| (*one, state))).collect();
    entries.sort_by_key(|(one, _)| ALL.iter().position(|example| example.name == one.example.name));
    {
        let _whole = interrupt::writing();
        write_atomically(&file, holonomy_scene::export::page::with_hashes(&page(&entries)).as_bytes())?;
    }
    let kept = entries.len() - chosen.len();
    let counts = Counts::of(states.iter());
    if args.json {
        let rows: Vec<Value> = chosen.iter().zip(&states).map(|(one, state)| row(one.example, state)).collect();
        let document = json!({ "page": file, "done": counts.done, "failed": counts.failed, "waiting": counts.waiting, "examples": rows });
        output::document(&format!("{document:#}"));
    } else if !args.quiet {
        say!("{counts}; {found} were there already");
        say!("  wrote {}", words::of_path(&file));
        if kept > 0 {
            say!("  with {kept} more that were in the folder");
        }
        if counts.waiting > 0 {
            say!("  stopped: the same command goes on from here");
        }
    }
    Ok(if counts.failed == 0 && counts.waiting == 0 { Ending::Done } else { Ending::Failed })
}

/// The summary of a whole result of this example, if it is there.
fn there(one: &Shown, folder: &Path) -> Option<Summary> {
    let read = |ending: &str| -> Option<Value> {
        serde_json::from_slice(&fs::read(folder.join(format!("{}.{ending}", one.example.name))).ok()?).ok()
    };
    let stamp = read("gallery.json")?;
    let same = stamp["scene"] == one.example.text && stamp["summary"] == read("json")?;
    let summary: Summary = serde_json::from_value(stamp["summary"].clone()).ok().filter(|_| same)?;
    let current = summary.version == env!("CARGO_PKG_VERSION") && summary.succeeded();
    // What a run that was killed while it wrote left is not whole.
    let of_one_run = || result::mixed_up(&folder.join(format!("{}.glb", one.example.name))).is_empty();
    (current && of_one_run() && !reads_a_file(one) && summary.files.iter().all(|file| folder.join(file).is_file())).then_some(summary)
}

fn reads_a_file(one: &Shown) -> bool {
    matches!(one.scene.body, Some(holonomy_scene::scene::Body::Asset(_)))
}

/// Runs an example and writes its files, unless it is stopped. Only a folder that cannot be written to is an error.
fn run_one(one: &Shown, folder: &Path, bar: &report::Bar) -> Result<State> {
    let name = one.example.name;
    if let Some(missing) = run::missing_asset(name, &one.scene) {
        return Ok(State::Skipped(format!("skipped: {missing}")));
    }
    if let Err(error) = check_place(folder, name) {
        return Ok(State::Failed(format!("{name} FAILED: {error}")));
    }
    let job = Job::prepare_watched(name, one.scene.clone(), Path::new(""), &mut |_, _| interrupt::flow());
    let finished = job.and_then(|job| {
        job.run(PAGE, &mut |step, steps| {
            bar.show(step, steps);
            interrupt::flow()
        })
    });
    let mut finished = match finished {
        Ok(finished) => finished,
        Err(holonomy_scene::Error::Stopped { .. }) => return Ok(State::Waiting),
        Err(error) => return Ok(State::Failed(format!("{name} FAILED: {error}"))),
    };
    if let SummaryOutcome::Interrupted { .. } = finished.summary.outcome {
        bar.close("stopped");
        return Ok(State::Waiting);
    }
    let stamp = json!({ "scene": one.example.text, "summary": serde_json::from_str::<Value>(&finished.summary.to_json()?)? });
    finished.files.push((format!("{name}.gallery.json"), format!("{stamp:#}").into_bytes()));
    run::write(&finished, folder)?;
    bar.finish(&finished.summary);
    Ok(State::Ran(Box::new(finished.summary)))
}

/// How many examples came to what.
struct Counts {
    done: usize,
    failed: usize,
    skipped: usize,
    waiting: usize,
}

impl Counts {
    fn of<'a>(states: impl Iterator<Item = &'a State> + Clone) -> Counts {
        let count = |is: fn(&State) -> bool| states.clone().filter(|state| is(state)).count();
        Counts {
            done: count(|state| matches!(state, State::Ran(summary) if summary.succeeded())),
            failed: count(|state| matches!(state, State::Ran(summary) if !summary.succeeded()) || matches!(state, State::Failed(_))),
            skipped: count(|state| matches!(state, State::Skipped(_))),
            waiting: count(|state| matches!(state, State::Waiting)),
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Counts { done, failed, skipped, waiting } = *self;
        write!(f, "{done} examples done")?;
        for (count, what) in [(failed, "FAILED"), (skipped, "skipped"), (waiting, "to go")] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// An example in the JSON document.
fn row(example: &Example, state: &State) -> Value {
    let (state, said) = match state {
        State::Ran(summary) => (if summary.succeeded() { "done" } else { "failed" }, verdict(summary)),
        State::Failed(why) => ("failed", why.clone()),
        State::Skipped(why) => ("skipped", why.clone()),
        State::Waiting => ("waiting", String::new()),
    };
    json!({ "name": example.name, "system": example.system, "state": state, "said": said })
}

/// How a run went, in a line.
fn verdict(summary: &Summary) -> String {
    let passed = summary.checks.iter().filter(|check| check.pass).count();
    let failed = summary.checks.iter().filter(|check| !check.pass).map(|check| format!("; FAILED: {}", check.name));
    let ending = match &summary.outcome {
        SummaryOutcome::Done | SummaryOutcome::Interrupted { .. } => String::new(),
        SummaryOutcome::OutOfReach { reason } => format!("; FAILED: {reason}"),
        SummaryOutcome::NotConverged { frame, advice, .. } => format!("; FAILED: frame {frame} did not converge: {advice}"),
    };
    let (time, frames) = (time(summary.wall_s), summary.frames);
    let checks = format!("{passed} of {} checks pass", summary.checks.len());
    format!("{checks}{}{ending}; {frames} frames in {time}", failed.collect::<String>())
}

fn time(seconds: f64) -> String {
    match seconds {
        short if short < 0.01 => format!("{:.1} ms", 1e3 * short),
        short if short < 1.0 => format!("{:.0} ms", 1e3 * short),
        _ => format!("{seconds:.1} s"),
    }
}

/// The page: a section per system, a card per example.
fn page(both: &[(&Shown, &State)]) -> String {
    let groups: Vec<_> = both.chunk_by(|a, b| a.0.example.system == b.0.example.system).collect();
    let title = |system: &str| system.replace('-', " ");
    let links = groups.iter().map(|group| {
        let system = group[0].0.example.system;
        format!("<a href=\"#{system}\">{} <small>{}</small></a>\n", title(system), group.len())
    });
    let sections = groups.iter().map(|group| {
        let system = group[0].0.example.system;
        let cards: String = group.iter().map(|(one, state)| card(one, state)).collect();
        format!("<section id=\"{system}\">\n<h2>{}</h2>\n<div class=\"cards\">\n{cards}</div>\n</section>\n", title(system))
    });
    TEMPLATE
        .replace("{{links}}", &links.collect::<String>())
        .replace("{{counts}}", &format!("Holonomy {}: {}", env!("CARGO_PKG_VERSION"), Counts::of(both.iter().map(|(_, state)| *state))))
        .replace("{{sections}}", &sections.collect::<String>())
}

fn card(one: &Shown, state: &State) -> String {
    let name = one.example.name;
    let (class, said) = match state {
        State::Ran(summary) => (if summary.succeeded() { "done" } else { "failed" }, verdict(summary)),
        State::Failed(why) => ("failed", why.clone()),
        State::Skipped(why) => ("skipped", why.lines().next().unwrap_or_default().into()),
        State::Waiting => ("waiting", "not run yet".into()),
    };
    let files: &[String] = if let State::Ran(summary) = state { &summary.files } else { &[] };
    let file = |ending: &str| files.iter().find(|file| file.ends_with(ending)).map(|file| html(file));
    let still = file(".png").map(|png| format!("<img src=\"{png}\" alt=\"{}\" loading=\"lazy\">", html(&one.scene.title)));
    let still = still.unwrap_or_else(|| "<span class=\"none\">no picture</span>".into());
    let (open, close) = file(".html").map_or_else(Default::default, |page| (format!("<a href=\"{page}\">"), "</a>"));
    let said = html(&said);
    let (title, text) = (html(&one.scene.title), with_code(&html(one.description())));
    format!(
        "<article class=\"{class}\" id=\"{name}\">\n{open}{still}{close}\n<h3>{open}{title}{close}</h3>\n<p>{text}</p>\n\
         <footer><code>holonomy run {name}</code><span>{said}</span></footer>\n</article>\n"
    )
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What stands between backticks as code.
fn with_code(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(i, part)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}
