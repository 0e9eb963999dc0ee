//! `holonomy run` and `holonomy move`, which is a run of a scene made on the spot.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use holonomy::medium::Medium;
use holonomy_scene::asset::Asset;
use holonomy_scene::export::files::OutputDir;
use holonomy_scene::job::{Finished, Job, check_place};
use holonomy_scene::scene::{self, Scene};
use holonomy_scene::{Error, examples, words};

use super::{Ending, named_in_unicode};
use crate::args::{Common, Move, Run};
use crate::{PAGE, interrupt, output, report};

/// Runs a scene file or a built-in example.
pub fn scene(args: &Run) -> Result<Ending> {
    let (name, scene, folder) = load(&args.scene, &args.set)?;
    let job = prepare(&name, scene, folder, &args.common)?;
    compute(&name, job, folder, Some(&args.scene), &args.common)
}

/// The scene that was asked for, a file or an example, with its name and the folder its files are looked for from.
pub(super) fn load<'a>(path: &'a Path, set: &[String]) -> Result<(String, Scene, &'a Path)> {
    let settings = set.iter().map(|text| scene::split_setting(text)).collect::<Result<Vec<_>, Error>>()?;
    let is_example = examples::ALL.iter().any(|example| path.as_os_str() == example.name);
    if path.is_dir() && !is_example {
        return Err(anyhow!("{}: this is a folder; give a scene file (.toml) in it, or the name of an example", words::of_path(path)));
    }
    let name = stem(path)?;
    if path.is_file() {
        let scene = Scene::with_overrides(&scene::read_text(path)?, &words::of_path(path), &settings)?;
        return Ok((name, scene, path.parent().unwrap_or(Path::new(""))));
    }
    if path.extension().is_some() || path.components().count() > 1 {
        return Err(anyhow!("no such scene file: {}; `holonomy examples` lists the built-in ones", words::of_path(path)));
    }
    let scene = Scene::with_overrides(examples::find(&name)?.text, &name, &settings)?;
    if !settings.iter().any(|(key, _)| key.ends_with("file"))
        && let Some(missing) = missing_asset(&name, &scene)
    {
        return Err(missing);
    }
    Ok((name, scene, Path::new("")))
}

/// What to say of an example that needs a mesh, where there is none of that name.
pub(super) fn missing_asset(name: &str, scene: &Scene) -> Option<anyhow::Error> {
    let Some(scene::Body::Asset(asset)) = &scene.body else { return None };
    let fix = format!("holonomy run {name} --set file=YOURS.glb");
    (!asset.file.exists()).then(|| anyhow!("the example {name} needs a mesh of yours\n  fix: {fix}"))
}

/// Moves an asset: writes the scene that the options stand for and runs it.
pub fn asset(args: &Move) -> Result<Ending> {
    let own = stem(&args.asset)?;
    let opened = Asset::open(&args.asset);
    let name = match &opened {
        Ok(Asset::Obj(sequence)) => sequence.name().to_owned(), // what its files have in common
        _ => own,
    };
    let opened = opened.as_ref().ok();
    let flow = flows(args, opened);
    let mut job = prepared(args, &name, flow, opened)?;
    if flow && let Err(error) = job.check() {
        let by_default =
            args.law.is_none() && [&args.gravity, &args.density, &args.surface_density, &args.mass].iter().all(|x| x.is_none());
        if !by_default || error.is_of_the_result() {
            return Err(weighed_otherwise(error));
        }
        job = prepared(args, &name, false, opened)?;
        let why = match &error {
            Error::Engine { source, .. } => source.to_string(),
            other => other.to_string(),
        };
        job.note(format!(
            "moved by friction alone (--law least-dissipation, drag along over drag across the \
             body {}), without inertia, lift or buoyancy, \
             for flow cannot weigh it: {why}. With a mass of its own, such as --mass 12kg or \
             --surface-density 5, it moves by flow",
            args.medium.anisotropy().unwrap_or(1.0)
        ));
    }
    compute(&name, job, Path::new(""), None, &args.common)
}

/// The job of the scene that the options stand for, by flow or by change of shape.
fn prepared(args: &Move, name: &str, flow: bool, asset: Option<&Asset>) -> Result<Job> {
    // The folders on the way to it need not be text: its path is put in at the end.
    let file = args.asset.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let system = if flow { "flow" } else { "shape-change" };
    let base = format!("title = {}\n[body.asset]\nfile = {}\n[system.{system}]\n", toml_string(name), toml_string(file));
    let mut scene = Scene::from_toml(&base, "move")?;
    let chosen = if flow { flow_settings(args)? } else { shape_change_settings(args)? };
    for (option, key, value) in
        chosen.into_iter().chain(asset_settings(args)).filter_map(|(option, key, value)| Some((option, key, value?)))
    {
        scene = scene.with_override(key, &value).map_err(|error| {
            // The scene speaks of the field it was asked to set; the user typed an option.
            let said = error.to_string().replace(&format!("--set {key}={value}"), &format!("--{option} {value}"));
            match option {
                "frames" => {
                    anyhow!("--frames {}: expected the first and the last frame, such as 0..40", args.frames.as_deref().unwrap_or(""))
                }
                _ => anyhow!(said),
            }
        })?;
    }
    if let Some(scene::Body::Asset(body)) = &mut scene.body {
        body.file.clone_from(&args.asset);
    }
    if asset.is_some_and(Asset::keeps_its_shape) {
        let fix = "give numbered files such as walk_0001.obj, walk_0002.obj";
        return Err(anyhow!("{}: it has one frame, so there is no change of shape to move by\n  fix: {fix}", words::of_path(&args.asset)));
    }
    prepare(name, scene, Path::new(""), &args.common)
}

/// Prepares the job of a scene, once its results can be written.
fn prepare(name: &str, scene: Scene, folder: &Path, common: &Common) -> Result<Job> {
    interrupt::listen();
    writable(&common.out)?;
    check_place(&common.out, name)?;
    Ok(Job::prepare_watched(name, scene, folder, &mut |_, _| interrupt::flow())?)
}

/// An error of a run in flow, with the options that give its body a mass if that is what it lacks.
fn weighed_otherwise(error: Error) -> anyhow::Error {
    let lacks_volume = matches!(error, Error::Engine { source: holonomy::Error::Surface { .. }, .. });
    match lacks_volume {
        true => anyhow!(
            "{error}\n  fix: --mass 12kg or --surface-density 5 (kg/m²) takes it as a skin with \
             that mass; --law least-dissipation needs no mass"
        ),
        false => error.into(),
    }
}

/// Whether it moves by flow: if told so, else in water and air, where there is a surface for the fluid to push on and no option says otherwise.
fn flows(args: &Move, asset: Option<&Asset>) -> bool {
    let shape_change = args.anisotropy.is_some() || args.masses.is_some() || args.momentum.is_some();
    match args.law.as_deref() {
        Some(law) => law == "flow",
        None => {
            let fluid = args.medium.flows() && args.medium.anisotropy().is_some();
            fluid && !shape_change && asset.is_some_and(|asset| !matches!(asset, Asset::Bvh(_)))
        }
    }
}

/// An option, the scene field it is for, and its value if it says something.
type Setting = (&'static str, &'static str, Option<String>);

/// The options of shape change.
fn shape_change_settings(args: &Move) -> Result<Vec<Setting>> {
    let weight = [("--density", &args.density), ("--surface-density", &args.surface_density), ("--mass", &args.mass)];
    refuse("--law flow, which is for surfaces in water and air", &weight)?;
    let medium = args.medium;
    let law = args.law.clone().unwrap_or_else(|| if medium.anisotropy().is_some() { "least-dissipation" } else { "least-action" }.into());
    let friction = law == "least-dissipation";
    if friction {
        refuse("--law least-action and flow", &[("--gravity", &args.gravity)])?;
    }
    let anisotropy = args.anisotropy.clone().or_else(|| medium.anisotropy().map(|epsilon| epsilon.to_string()));
    let backdrop = match medium {
        Medium::Water if law != "least-action" => "water",
        _ if law == "least-action" || medium.flows() => "none",
        _ => "ground",
    };
    let surface_rule = args.masses.as_ref().filter(|rule| is_surface_rule(rule)).cloned();
    Ok(vec![
        ("law", "system.shape-change.law", Some(law)),
        ("anisotropy", "system.shape-change.anisotropy", anisotropy),
        ("masses", "system.shape-change.masses", surface_rule),
        ("momentum", "system.shape-change.momentum", args.momentum.clone()),
        ("gravity", "system.shape-change.gravity", args.gravity.clone()),
        ("medium", "system.shape-change.freedom", (friction && medium.is_ground()).then(|| "level".into())),
        ("medium", "picture.backdrop", Some(backdrop.into())),
    ])
}

/// The options of flow. In water a body floats as it is, so that a mesh with holes, which displaces nothing, does not sink.
fn flow_settings(args: &Move) -> Result<Vec<Setting>> {
    refuse("a law of shape change", &[("--anisotropy", &args.anisotropy), ("--masses", &args.masses), ("--momentum", &args.momentum)])?;
    if !args.medium.flows() {
        let medium = args.medium.name();
        return Err(anyhow!("--law flow is for water, air and a vacuum, not {medium}; leave out --law, or use --medium water"));
    }
    let weighed = args.density.is_some() || args.surface_density.is_some() || args.mass.is_some();
    let heavy = args.gravity.is_some() || weighed || args.medium != Medium::Water;
    let gravity = args.gravity.clone().or_else(|| (!heavy).then(|| "0".into()));
    Ok(vec![
        ("medium", "system.flow.fluid", Some(args.medium.name().into())),
        ("gravity", "system.flow.gravity", gravity),
        ("density", "body.asset.density", args.density.clone()),
        ("surface-density", "body.asset.surface-density", args.surface_density.clone()),
        ("mass", "body.asset.mass", args.mass.clone()),
    ])
}

/// The options about the asset, whatever the system.
fn asset_settings(args: &Move) -> Vec<Setting> {
    let frames = args.frames.as_ref().map(|range| range.split_once("..").map_or_else(|| range.clone(), |(a, b)| format!("[{a}, {b}]")));
    let rig_masses = args.masses.as_ref().filter(|rule| !is_surface_rule(rule)).map(|rule| match rule.as_str() {
        "auto" | "human" | "length" => rule.clone(),
        file => format!("{{ file = {} }}", toml_string(file)),
    });
    vec![
        ("masses", "body.asset.masses", rig_masses),
        ("clip", "body.asset.clip", args.clip.as_deref().map(toml_string)),
        ("frames", "body.asset.frames", frames),
        ("fps", "body.asset.fps", args.fps.clone()),
        ("unit", "body.asset.unit", args.unit.clone()),
        ("up", "body.asset.up", args.up.clone()),
        ("cycles", "time.cycles", args.cycles.clone()),
        ("target", "output.target", args.target.clone()),
    ]
}

fn is_surface_rule(rule: &str) -> bool {
    ["area", "volume", "unit"].contains(&rule)
}

/// Options that only `law` understands.
fn refuse(law: &str, options: &[(&str, &Option<String>)]) -> Result<()> {
    match options.iter().find(|(_, value)| value.is_some()) {
        Some((option, _)) => Err(anyhow!("{option} is for {law}; leave it out, or choose another --law")),
        None => Ok(()),
    }
}

/// Runs the job, writes its files, reports.
fn compute(name: &str, job: Job, folder: &Path, file: Option<&Path>, common: &Common) -> Result<Ending> {
    overwrites_nothing(file, &job.source_paths(folder), Finished::file_names(name).map(|file| common.out.join(file)))?;
    let bar = report::Bar::new(name, !common.quiet && !common.json);
    let finished = job.run(PAGE, &mut |step, steps| {
        bar.show(step, steps);
        interrupt::flow()
    })?;
    let written = write(&finished, &common.out)?;
    bar.finish(&finished.summary);
    if common.json {
        output::document(&finished.summary.to_json()?);
    } else if !common.quiet {
        report::table(&finished.summary, &written);
    }
    if common.open
        && let Some((_, page)) = finished.files.iter().find(|(name, _)| name.ends_with(".html"))
    {
        let announce = |address: &str| if common.json { tell!("{address}") } else { say!("{address}") };
        crate::serve::until_closed(&String::from_utf8_lossy(page), true, announce)?;
    }
    Ok(if finished.summary.succeeded() { Ending::Done } else { Ending::Failed })
}

/// Writes the files of a run to `folder`, and removes what would pass for one of them.
pub(super) fn write(finished: &Finished, folder: &Path) -> Result<Vec<PathBuf>> {
    let _whole = interrupt::writing();
    let mut folder = OutputDir::open(folder)?;
    let written = folder.write_all(&finished.files)?;
    folder.remove_all(&finished.outdated)?;
    Ok(written)
}

/// Makes sure, before anything is computed, that files can be written in `folder`; if it had to be made for that, it is gone again.
pub(super) fn writable(folder: &Path) -> Result<()> {
    if folder.is_file() {
        return Err(anyhow!("--out {}: this is a file; give a folder for the results", words::of_path(folder)));
    }
    let _whole = interrupt::writing();
    OutputDir::open(folder)?;
    Ok(())
}

/// Makes sure that no result takes the place of the scene `file` or of another that is read, or of a folder.
pub(super) fn overwrites_nothing(file: Option<&Path>, sources: &[PathBuf], results: impl Iterator<Item = PathBuf>) -> Result<()> {
    for result in results {
        if let Some(source) = sources.iter().map(PathBuf::as_path).chain(file).find(|source| same_file(source, &result)) {
            return Err(anyhow!("{} would be overwritten by a result; give another folder with --out", words::of_path(source)));
        }
        if result.is_dir() {
            return Err(anyhow!(
                "{} is to be a result, and is a folder; remove it, or give another folder with --out",
                words::of_path(&result)
            ));
        }
    }
    Ok(())
}

fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

fn stem(path: &Path) -> Result<String> {
    named_in_unicode(path)?;
    let stem = path.file_stem().and_then(|stem| stem.to_str()).ok_or_else(|| anyhow!("{}: not a file name", words::of_path(path)))?;
    Ok(stem.to_owned())
}

fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string() // JSON's escapes are TOML's
}
