//! `holonomy render`: a picture or an animation of a result.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use holonomy_scene::export::files::write_atomically;
use holonomy_scene::picture::{AnimationOptions, Backdrop, CameraMode, Drawn, GhostCount, StillOptions, View, animate, still};
use holonomy_scene::result::SavedResult;

use super::Ending;
use crate::args::Render;

/// Draws what the ending of `--out` asks for.
pub fn result(args: &Render) -> Result<Ending> {
    let out = args.out.clone().unwrap_or_else(|| args.result.with_extension("render.png"));
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let saved = SavedResult::open(&args.result)?;
    let bodies = [Drawn::default()];
    if ending == "png" {
        let picture = still(&saved.motion, &bodies, &options(args, (1280, 720))?)?;
        write_atomically(&out, &picture.to_small_png()?)?;
        return finished(args, &out, "");
    }
    if !(args.fps > 0.0 && args.fps <= 240.0) {
        bail!("--fps {}: must be above 0 and at most 240", args.fps);
    }
    let camera = if args.follow { CameraMode::Follow } else { CameraMode::Fixed };
    let plan = AnimationOptions { picture: options(args, (640, 360))?, fps: args.fps, camera, speed: Some(1.0) };
    let animation = animate(&saved.motion, &bodies, &plan)?;
    match ending.as_str() {
        "gif" => write_atomically(&out, &animation.to_gif()?)?,
        "apng" => write_atomically(&out, &animation.to_apng()?)?,
        "" => {
            std::fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
            let frames = animation.write_frames(&out)?;
            let hint = format!(": {frames} frames; a film: ffmpeg -framerate {} -i {}/frame_%05d.png film.mp4", args.fps, out.display());
            return finished(args, &out, &hint);
        }
        other => bail!("{}: cannot write .{other}; give .png, .gif, .apng, or a folder for numbered frames", out.display()),
    }
    finished(args, &out, "")
}

fn finished(args: &Render, out: &Path, hint: &str) -> Result<Ending> {
    if !args.quiet {
        say!("wrote {}{hint}", PathBuf::from(out).display());
    }
    Ok(Ending::Done)
}

fn options(args: &Render, usual: (u32, u32)) -> Result<StillOptions> {
    let (width, height) = match &args.size {
        None => usual,
        Some(size) => size
            .split_once('x')
            .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
            .ok_or_else(|| anyhow!("--size {size}: expected WIDTHxHEIGHT, such as 1280x720"))?,
    };
    let backdrop = match args.backdrop.as_str() {
        "water" => Backdrop::Water { height: None },
        "none" => Backdrop::None,
        _ => Backdrop::Ground { height: None },
    };
    let ghosts = args.ghosts.map_or(GhostCount::Auto, GhostCount::Exactly);
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
