//! `holonomy render`: a picture or an animation of a result.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use holonomy_scene::export::files::{folder_of, write_atomically};
use holonomy_scene::picture::{
    Animation, AnimationOptions, Backdrop, CameraMode, Drawing, GhostCount, NumberedFrames, Progress, StillOptions, View, animate, still,
};
use holonomy_scene::result::{SavedResult, mixed_up};
use holonomy_scene::words;
use serde_json::json;

use super::{Ending, named_in_unicode, run};
use crate::args::Render;
use crate::{interrupt, output, report};

/// Draws what the ending of `--out` asks for.
pub fn result(args: &Render) -> Result<Ending> {
    named_in_unicode(&args.result)?;
    let out = args.out.clone().unwrap_or_else(|| args.result.with_extension("render.png"));
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if !["png", "gif", "apng", ""].contains(&ending.as_str()) {
        bail!(
            "{}: cannot write .{ending}; give .png, .gif, .apng, or a folder for numbered frames, of which ffmpeg makes a film:\n  \
             holonomy render {} --out frames && ffmpeg -framerate {} -i frames/frame_%05d.png -pix_fmt yuv420p {}",
            words::of_path(&out),
            words::of_path(&args.result),
            args.fps,
            words::of_path(&out)
        );
    }
    if !(args.fps > 0.0 && args.fps <= 240.0) {
        bail!("--fps {}: must be above 0 and at most 240", args.fps);
    }
    // Until something is written Ctrl-C ends the program at once: nobody would hear it, and there is nothing to keep.
    let saved = SavedResult::open(&args.result)?;
    let notes = mixed_up(&args.result);
    notes.iter().for_each(|note| tell!("warning: {note}"));
    let bodies = saved.drawn();
    if ending == "png" {
        let picture = still(&saved.motion, &bodies, &options(args, (1280, 720), saved.backdrop)?)?.to_small_png()?;
        interrupt::listen();
        run::writable(folder_of(&out))?;
        write(&out, &picture)?;
        return finished(args, &out, "", 1, &notes);
    }
    let camera = if args.follow { CameraMode::Follow } else { CameraMode::Fixed };
    let plan = AnimationOptions { picture: options(args, (640, 360), saved.backdrop)?, fps: args.fps, camera, speed: Some(1.0) };
    film(args, &animate(&saved.motion, &bodies, &plan)?, &ending, &out, &notes)
}

/// Draws an animation, with a bar; nothing is written if it is interrupted.
fn film(args: &Render, animation: &Animation, ending: &str, out: &Path, notes: &[String]) -> Result<Ending> {
    interrupt::listen();
    run::writable(if ending.is_empty() { out } else { folder_of(out) })?;
    let bar = report::Bar::new(&args.result.file_stem().unwrap_or_default().to_string_lossy(), !args.quiet && !args.json);
    let progress = &mut |frame: usize, frames: usize| {
        bar.show(frame, frames);
        interrupt::flow()
    };
    let (mut hint, mut file) = (String::new(), None);
    let drawing = if ending.is_empty() {
        hint = format!(
            ": {} frames; a film: ffmpeg -framerate {} -i {}/frame_%05d.png film.mp4",
            animation.len(),
            args.fps,
            words::of_path(out)
        );
        numbered_frames(animation, out, progress)?
    } else {
        file = if ending == "gif" { animation.to_gif(progress) } else { animation.to_apng(progress) }?;
        if file.is_some() { Drawing::Done } else { Drawing::Stopped }
    };
    if drawing == Drawing::Stopped {
        bar.close("stopped; nothing was written");
        return Ok(Ending::Failed);
    }
    bar.close(&format!("{} frames in {:.1} s", animation.len(), bar.seconds()));
    if let Some(file) = file {
        write(out, &file)?;
    }
    finished(args, out, &hint, animation.len(), notes)
}

/// Draws the frames, and puts them into `folder` when all are there.
fn numbered_frames(animation: &Animation, folder: &Path, progress: &mut Progress) -> Result<Drawing> {
    let mut frames = {
        let mut incomplete = interrupt::writing();
        let frames = NumberedFrames::begin(folder)?;
        *incomplete = Some(frames.hidden().to_owned());
        frames
    };
    let drawing = animation.each_png(progress, |png| {
        let _whole = interrupt::writing();
        frames.add(png)
    });
    let _whole = interrupt::writing();
    match drawing {
        Ok(Drawing::Done) => frames.put_in_place()?,
        Ok(Drawing::Stopped) | Err(_) => drop(frames),
    }
    Ok(drawing?)
}

fn write(file: &Path, bytes: &[u8]) -> Result<()> {
    let _whole = interrupt::writing();
    Ok(write_atomically(file, bytes)?)
}

fn finished(args: &Render, out: &Path, hint: &str, frames: usize, notes: &[String]) -> Result<Ending> {
    if args.json {
        let document = json!({ "wrote": out.to_string_lossy(), "frames": frames, "notes": notes });
        output::document(&format!("{document:#}"));
    } else if !args.quiet {
        say!("wrote {}{hint}", words::of_path(out));
    }
    Ok(Ending::Done)
}

fn options(args: &Render, usual: (u32, u32), auto: Backdrop) -> Result<StillOptions> {
    let (width, height) = match &args.size {
        None => usual,
        Some(size) => size
            .split_once('x')
            .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
            .ok_or_else(|| anyhow!("--size {size}: expected WIDTHxHEIGHT, such as 1280x720"))?,
    };
    let backdrop = match args.backdrop.as_str() {
        "ground" => Backdrop::Ground { height: None },
        "water" => Backdrop::Water { height: None },
        "none" => Backdrop::None,
        _ => auto,
    };
    let ghosts = args.ghosts.map_or(GhostCount::Auto, |count| GhostCount::Exactly(count as usize));
    Ok(StillOptions { width, height, view: view(&args.view)?, backdrop, ghosts, ..StillOptions::default() })
}

fn view(text: &str) -> Result<View> {
    Ok(match text {
        "auto" => View::Auto,
        "front" => View::Front,
        "side" => View::Side,
        "top" => View::Top,
        other => {
            let expected = || format!("--view {other}: expected auto, front, side, top, or AZIMUTH,ELEVATION in degrees");
            let (azimuth, elevation) = other.split_once(',').with_context(expected)?;
            let angle = |text: &str| text.trim().parse::<f64>().map(f64::to_radians).with_context(expected);
            View::Orbit { azimuth: angle(azimuth)?, elevation: angle(elevation)? }
        }
    })
}
