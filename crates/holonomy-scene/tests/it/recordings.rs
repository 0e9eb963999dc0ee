//! Motion capture with feet on the ground: the flight in it is found and named, and the rest is
//! not taken for one.

use std::fmt::Write as _;
use std::path::Path;

use holonomy_scene::job::Job;
use holonomy_scene::scene::Scene;

use crate::bvh::data;

/// Frames in which the body of [`jump`] is in the air, at 120 a second.
const FLIGHT: [usize; 2] = [60, 108];

/// A skeleton that stands, pushes off at 20 m/s² for 0.1 s, flies for 0.41 s and lands, with two
/// arms that swing against each other, so that its centre of mass stays in its hips.
fn jump() -> String {
    let limb = |name: &str, offset: &str, end: &str| {
        format!("JOINT {name}\n{{\nOFFSET {offset}\nCHANNELS 1 Xrotation\nEnd Site\n{{\nOFFSET {end}\n}}\n}}\n")
    };
    let mut text = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n".to_owned();
    text += &limb("left", "0.2 0.5 0", "0 0 0.6");
    text += &limb("right", "-0.2 0.5 0", "0 0 -0.6");
    text += &limb("leg", "0 -0.5 0", "0 -0.4 0");
    text += "}\nMOTION\nFrames: 168\nFrame Time: 0.00833333\n";
    let (push, up, flies) = (20.0, 2.0, 2.0 * 2.0 / 9.81);
    for k in 0..168 {
        let t: f64 = f64::from(k) / 120.0 - 0.4;
        let height = match t {
            t if t < 0.0 => 1.0,
            t if t < 0.1 => 1.0 + 0.5 * push * t * t,
            t if t < 0.1 + flies => 1.1 + up * (t - 0.1) - 0.5 * 9.81 * (t - 0.1).powi(2),
            t if t < 0.2 + flies => 1.0 + 0.5 * push * (0.2 + flies - t).powi(2),
            _ => 1.0,
        };
        let swing = 30.0 * (8.0 * t).sin();
        writeln!(text, "{} {height} 0 {swing} {swing} 0", 0.5 * (t + 0.4)).unwrap();
    }
    text
}

/// What is said of a recording in free fall with its own momentum, and the summary of its run.
fn fallen(file: &Path, frames: Option<(usize, usize)>, unit: f64) -> Result<(String, serde_json::Value), String> {
    let frames = frames.map_or(String::new(), |(a, b)| format!("frames = [{a}, {b}]\n"));
    let text = format!(
        "title = \"Falls\"\n[body.asset]\nfile = '{}'\nunit = {unit}\n{frames}\
         [system.shape-change]\nlaw = \"least-action\"\nmomentum = \"clip\"\ngravity = 9.81\n",
        file.display()
    );
    let scene = Scene::from_toml(&text, "falls").map_err(|error| error.to_string())?;
    let job = Job::prepare("falls", scene, Path::new("")).map_err(|error| error.to_string())?;
    let summary = job.summarise(&mut |_, _| std::ops::ControlFlow::Continue(())).map_err(|error| error.to_string())?;
    Ok((summary.warnings.join("\n"), serde_json::to_value(&summary).unwrap()))
}

/// The numbers after `--frames ` in a text.
fn frames_named(text: &str) -> Option<(usize, usize)> {
    let at = text.split("--frames ").nth(1)?;
    let (first, rest) = at.split_once("..")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((first.parse().ok()?, digits.parse().ok()?))
}

fn figure(summary: &serde_json::Value, name: &str) -> f64 {
    summary["bodies"][0]["figures"][name].as_f64().unwrap()
}

/// Before, it flew from its first frame to its last, and every check passed.
#[test]
fn frames_on_the_ground_are_told_and_the_flight_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jump.bvh");
    std::fs::write(&file, jump()).unwrap();
    let refused = fallen(&file, None, 1.0).unwrap_err();
    assert!(refused.contains("in free flight") && refused.contains("--frames 0..167 takes all frames"), "{refused}");
    let (first, last) = frames_named(&refused).unwrap();
    println!("found {first}..{last}, is {FLIGHT:?}");
    assert!(first.abs_diff(FLIGHT[0]) <= 4 && last.abs_diff(FLIGHT[1]) <= 4, "{refused}");

    // The whole of it, since that is what was asked for: loudly, and with how far it strays.
    let (said, summary) = fallen(&file, Some((0, 167)), 1.0).unwrap();
    assert!(said.contains("WARNING: of the frames 0..167 only") && frames_named(&said) == Some((first, last)), "{said}");
    let astray = figure(&summary, "largest_distance_from_recording [m]");
    assert!(astray > 0.5, "{astray}"); // measured 2.09 m

    // The flight alone: nothing to warn of, and the recording is met.
    let (said, summary) = fallen(&file, Some((first, last)), 1.0).unwrap();
    assert!(!said.contains("WARNING") && said.contains("beside the recording"), "{said}");
    let (off, turned) = (figure(&summary, "largest_distance_from_recording [m]"), figure(&summary, "largest_turn_from_recording [deg]"));
    println!("all frames: {astray} m off; the flight: {off} m, {turned} deg");
    assert!(off < 0.01, "{off}"); // measured 0.0044 m

    // Under half the frame time nothing on earth falls like that.
    std::fs::write(&file, jump().replace("Frame Time: 0.00833333", "Frame Time: 0.004166667")).unwrap();
    let (said, _) = fallen(&file, Some((first, last)), 1.0).unwrap();
    assert!(said.contains("WARNING: at 240 frames a second") && said.contains("probably taken at 120"), "{said}");
}

/// The flights of real people, against windows found by hand and by eye.
#[test]
fn flights_in_real_captures_are_those_annotated() {
    let Some(folder) = data("mocap") else { return };
    let windows = std::fs::read_to_string(folder.join("flight_windows.csv")).unwrap();
    for line in windows.lines().filter(|line| line.contains(".bvh")) {
        let integers: Vec<usize> = line.split(',').filter_map(|field| field.parse().ok()).collect();
        let file = folder.join(line.split(',').next().unwrap());
        let said = fallen(&file, None, 0.0254 / 0.45).unwrap_err();
        let (first, last) = frames_named(&said).unwrap_or_else(|| panic!("{line}: {said}"));
        let [begins, ends, fps] = [integers[0], integers[1], integers[2]];
        println!("{line}\n  found {first}..{last}, annotated {begins}..{ends} at {fps}");
        let common = last.min(ends).saturating_sub(first.max(begins)) as f64;
        assert!(common > 0.7 * (ends - begins) as f64 && common > 0.7 * (last - first) as f64, "{first}..{last} for {begins}..{ends}");
        let (said, _) = fallen(&file, Some((first, last)), 0.0254 / 0.45).unwrap();
        assert_eq!(said.contains("probably taken at 60"), fps == 60, "{said}");
    }
}

/// Drag on a rig goes by length: what its bones weigh is asked for in vain, and said to be.
#[test]
fn masses_of_bones_are_refused_where_only_drag_acts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jump.bvh");
    std::fs::write(&file, jump()).unwrap();
    std::fs::write(folder.path().join("kg.txt"), "left_end 3\n").unwrap();
    let run = |fields: &str, system: &str| {
        let text = format!(
            "title = \"Swims\"\n[body.asset]\nfile = '{}'\nunit = \
             1\n{fields}[system.shape-change]\n{system}\n",
            file.display()
        );
        let scene = Scene::from_toml(&text, "swims").map_err(|error| error.to_string())?;
        let job = Job::prepare("swims", scene, folder.path()).map_err(|error| error.to_string())?;
        let summary = job.summarise(&mut |_, _| std::ops::ControlFlow::Continue(())).map_err(|error| error.to_string())?;
        Ok::<_, String>(summary.displacement)
    };
    let refused = run("masses = { file = \"kg.txt\" }\n", "").unwrap_err();
    assert!(refused.contains("drag goes by their lengths") && refused.contains("fix:"), "{refused}");
    let refused = run("", "law = \"least-action\"\nmasses = \"unit\"").unwrap_err();
    assert!(refused.contains("inertia goes by the masses of the bones"), "{refused}");
    let refused = run("", "masses = \"area\"").unwrap_err();
    assert!(refused.contains("weights by area or volume need a surface"), "{refused}");
    let by_length = run("", "").unwrap();
    assert_eq!(run("masses = \"length\"\n", "masses = \"length\"").unwrap(), by_length);
    assert_ne!(run("", "masses = \"unit\"").unwrap(), by_length);
    run("masses = { file = \"kg.txt\" }\n", "law = \"least-action\"").unwrap();
}
