//! Sweeps: what a grid is, that the table does not depend on how it was made, and what is run again.

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use holonomy_scene::examples;
use holonomy_scene::export::page;
use holonomy_scene::scene::Scene;
use holonomy_scene::sweep::{Progress, Shard, Sweep, Table};

/// A scene that runs in about a millisecond.
fn small(extra: &str) -> Scene {
    let text = format!("title = 't'\n[body.snake]\nvertices = 12\n[system.shape-change]\n[time]\nfps = 12\n{extra}");
    Scene::from_toml(&text, "small.toml").unwrap()
}

fn sweep(vary: &[&str]) -> Sweep {
    Sweep::new("small", small(""), Path::new(""), &vary.iter().map(|text| text.to_string()).collect::<Vec<_>>()).unwrap()
}

fn refused(vary: &[&str]) -> String {
    let vary: Vec<_> = vary.iter().map(|text| text.to_string()).collect();
    Sweep::new("small", small(""), Path::new(""), &vary).unwrap_err().to_string()
}

fn run(sweep: &Sweep, cache: &Path, threads: usize) -> Table {
    sweep.run(cache, Shard::WHOLE, threads, &|_| ControlFlow::Continue(())).unwrap()
}

fn entries(cache: &Path) -> HashSet<String> {
    fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

/// The values of the only varied field.
fn values(vary: &str) -> Vec<String> {
    sweep(&[vary]).grid.axes()[0].values.clone()
}

const GRID: [&str; 3] = ["anisotropy=0.02..1:5log", "masses=area,auto", "length=0.5..2m:3"];

#[test]
fn values_of_an_axis() {
    assert_eq!(values("anisotropy=0.1..1:10").join(" "), "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
    assert_eq!(values("anisotropy=0.001..1:4 log").join(" "), "0.001 0.01 0.1 1");
    assert_eq!(values("anisotropy=1..0.5:3").join(" "), "1 0.75 0.5");
    assert_eq!(values("cycles=1..4:4").join(" "), "1 2 3 4");
    assert_eq!(values("length=1e-7..3e-7m:3").join(" "), "1e-7 2e-7 3e-7");
    assert_eq!(values("azimuth=-30..30deg:3").join(" "), "-30 0 30");
    assert_eq!(values("law=least-action , least-dissipation").join(" "), "least-action least-dissipation");
    assert_eq!(values("title=\"a, b\",[c").join("|"), "\"a, b\"|[c");
    assert_eq!(values("title=../x,1...2/y").join("|"), "../x|1...2/y");
    assert_eq!(values("anisotropy=0.3..0.3:2").join(" "), "0.3 0.3");
    let grid = sweep(&["length=50cm..200cm:2", "cycles=1,2,3"]).grid;
    assert_eq!((grid.points(), grid.axes()[0].unit.as_deref()), (6, Some("cm")));
    // A long logarithmic axis keeps its ratio: measured 9.8e-15 (steps are rounded to 15 digits).
    let numbers: Vec<f64> = values("length=1e-6..1e5:200log").iter().map(|text| text.parse().unwrap()).collect();
    let ratio = 1e11_f64.powf(1.0 / 199.0);
    let off = numbers.windows(2).map(|pair| (pair[1] / pair[0] / ratio - 1.0).abs()).fold(0.0, f64::max);
    assert!(off < 3e-14, "{off:e}");
}

#[test]
fn what_is_no_axis_is_refused_in_words() {
    for (vary, words) in [
        ("nonsense", "no `=`"),
        ("=1..2:3", "no field before `=`"),
        ("anisotropy=", "no values after `=`"),
        ("anisotropy=0.1..1", "needs a COUNT"),
        ("anisotropy=0.1..1:0", "COUNT 0"),
        ("anisotropy=0.1..1:1", "COUNT 1"),
        ("anisotropy=0.1..1:-3", "`-3` is no whole number"),
        ("anisotropy=0.1..1:2.5", "`2.5` is no whole number"),
        ("anisotropy=0.1..1:log", "is no whole number"),
        ("anisotropy=0.1..1:99999999999999999999", "is no whole number"),
        ("anisotropy=0.1..1:1000001", "more than 1000000"),
        ("anisotropy=low..high:3", "`low` is no number"),
        ("anisotropy=0.1..nan:3", "`nan` is no number"),
        ("anisotropy=0.1..1e999:3", "`1e999` is no number"),
        ("length=0..1:3log", "both ends above 0"),
        ("length=50cm..2m:3", "different units, `cm` and `m`"),
        ("length=50cm..2:3", "different units"),
        ("law=least-action,,least-action", "missing beside a comma"),
    ] {
        let said = refused(&[vary]);
        assert!(said.starts_with(&format!("--vary {vary}: ")) && said.contains(words), "{said}");
        assert!(said.contains("FROM..TO:COUNT"), "says what is accepted: {said}");
    }
    for (vary, words) in [
        (vec!["anisotrpy=0.1..1:3"], "did you mean `anisotropy`?"),
        (
            vec!["anisotropy=0.5..2:4"],
            "--vary anisotropy=0.5..2:4 at 1.5: `anisotropy` in [system.shape-change]: expected a number from 0 to 1",
        ),
        (vec!["law=least-acton"], "did you mean `least-action`?"),
        (vec!["cycles=1..2:3"], "at 1.5: `cycles` in [time]: expected a whole number"),
        (vec!["length=1..2deg:3"], "found an angle"),
        (vec!["law=least-action", "shape-change.law=least-dissipation"], "is varied already, by --vary law=least-action"),
        (vec!["anisotropy=0.1..1:1000", "length=1..2:1001"], "1000 x 1001 is more than 1000000 points"),
        (vec!["sweep.vary=1,2"], "no field `sweep.vary`"),
        (vec![], "nothing to vary"),
    ] {
        let said = refused(&vary);
        assert!(said.contains(words), "{vary:?}: {said}");
    }
    for bad in ["", "1", "0/2", "3/2", "1/0", "-1/2", "a/b", "1/2/3", "1/2000000"] {
        assert!(Shard::read(bad).unwrap_err().to_string().contains("2/4"), "{bad}");
    }
}

#[test]
fn any_number_of_threads_and_any_order_give_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep(&GRID);
    let tables: Vec<Table> = [1, 2, 7].iter().map(|&threads| run(&sweep, &folder.path().join(threads.to_string()), threads)).collect();
    let text = tables[0].to_csv();
    assert_eq!(text.lines().count(), 31);
    assert!(text.starts_with("anisotropy,masses,length [m],frames,displacement_x [m],"), "{text}");
    assert!(text.contains("\r\n0.02,area,0.5,") && text.contains("\r\n1,auto,2,13,"), "{text}");
    for (table, threads) in tables.iter().zip([1, 2, 7]) {
        assert_eq!((table.ran, table.complete(), table.failed()), (30, true, 15));
        assert!(table.to_csv() == text && table.to_json().unwrap() == tables[0].to_json().unwrap(), "{threads} threads");
        // Read back from its files, to the bit.
        let again = run(&sweep, &folder.path().join(threads.to_string()), 1);
        assert!(again.ran == 0 && again.to_csv() == text, "{threads} threads, again");
    }
    // Points that cannot be are rows like others.
    assert!(tables[0].rows.iter().all(|(_, row)| row.passed == row.error.is_none()));
    assert!(text.contains("masses by area need a surface"), "{text}");
}

#[test]
fn a_row_is_what_the_run_says() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep(&["anisotropy=0.1,0.2", "cycles=1,3", "picture.width=64"]);
    let table = run(&sweep, folder.path(), 2);
    let template = format!("{}{}", page::DATA, page::MODEL);
    for (index, row) in &table.rows {
        let scene = sweep.scene_at(*index).unwrap();
        let job = holonomy_scene::job::Job::prepare("small", scene, Path::new("")).unwrap();
        let summary = job.run(&template, &mut |_, _| ControlFlow::Continue(())).unwrap().summary;
        assert_eq!((row.frames, row.displacement, row.mean_speed), (Some(summary.frames), Some(summary.displacement), summary.mean_speed));
        let ratio = summary.checks.iter().map(|check| check.value.unwrap() / check.tolerance.unwrap()).fold(0.0, f64::max);
        assert_eq!((row.largest_check_ratio, row.passed), (Some(ratio), true));
    }
    assert_eq!(table.rows[3].1.frames, Some(37));
}

#[test]
fn only_what_is_missing_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path();
    let first = run(&sweep(&["anisotropy=0.1,0.2,0.3"]), cache, 2);
    assert_eq!((first.ran, entries(cache).len()), (3, 3));
    let wider = run(&sweep(&["anisotropy=0.3,0.1,0.4,0.2,0.5"]), cache, 2);
    assert_eq!((wider.ran, entries(cache).len()), (2, 5));
    assert_eq!(wider.rows[1].1, first.rows[0].1);
    // The same point by another key; and another scene of the same name.
    assert_eq!(run(&sweep(&["shape-change.anisotropy=0.1..0.5:5"]), cache, 1).ran, 0);
    let other = small("").with_override("waves", "2").unwrap();
    let other = run(&Sweep::new("small", other, Path::new(""), &["anisotropy=0.1,0.2".into()]).unwrap(), cache, 1);
    assert!(other.ran == 2 && other.rows[0].1 != first.rows[0].1, "two scenes of one name do not share");
    assert_eq!(entries(cache).len(), 7);
    // What a scene says about sweeps is no part of its points.
    let own = small("[sweep]\nvary = ['anisotropy=0.1,0.2']");
    assert_eq!(run(&Sweep::new("small", own, Path::new(""), &[]).unwrap(), cache, 1).ran, 0);
    // Broken entries are run again: empty, cut off, of another format.
    let broken = ["", "{\"format\"", "{\"format\": \"other\", \"version\": \"\", \"row\": {\"passed\": true}}"];
    for (name, broken) in entries(cache).iter().zip(broken.iter().cycle()) {
        fs::write(cache.join(name), broken).unwrap();
    }
    let again = run(&sweep(&["anisotropy=0.1,0.2,0.3"]), cache, 2);
    assert_eq!((again.ran, again.to_csv()), (3, first.to_csv()));
}

#[test]
fn a_stopped_sweep_keeps_its_rows_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep(&["anisotropy=0.1..0.9:9"]);
    let whole = run(&sweep, &folder.path().join("whole"), 1).to_csv();
    let cache = folder.path().join("cache");
    let stop_at_four = |progress: Progress| if progress.finished >= 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let stopped = sweep.run(&cache, Shard::WHOLE, 1, &stop_at_four).unwrap();
    assert_eq!((stopped.rows.len(), stopped.complete(), entries(&cache).len()), (4, false, 4));
    assert!(whole.starts_with(&stopped.to_csv()), "one thread does the first four first");
    // In the middle of a point: that point is not kept.
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let mid = |progress: Progress| {
        let call = calls.fetch_add(usize::from(progress.finished == 5), std::sync::atomic::Ordering::SeqCst);
        if call > 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = sweep.run(&cache, Shard::WHOLE, 1, &mid).unwrap();
    assert_eq!((stopped.rows.len(), stopped.ran, entries(&cache).len()), (5, 1, 5));
    // Stopped at once: what was there before is still in the table.
    let stopped = sweep.run(&cache, Shard::WHOLE, 2, &|_| ControlFlow::Break(())).unwrap();
    assert_eq!((stopped.rows.len(), stopped.ran, stopped.complete()), (5, 0, false));
    let done = run(&sweep, &cache, 2);
    assert_eq!((done.ran, done.to_csv()), (4, whole));
}

/// Rows that fail must not depend on which row a thread ran before.
#[test]
fn any_number_of_threads_gives_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep(&["law=least-action", "mass=1,2,3,4", "momentum=zero,clip"]);
    let alone = run(&sweep, &folder.path().join("1"), 1).to_csv();
    assert_eq!(alone.matches("stays in its place").count(), 4, "{alone}");
    for threads in [2, 8] {
        assert_eq!(run(&sweep, &folder.path().join(threads.to_string()), threads).to_csv(), alone, "{threads} threads");
    }
}

#[test]
fn shards_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep(&GRID);
    let whole = run(&sweep, &folder.path().join("whole"), 2);
    let cache = folder.path().join("shards");
    let mut rows = Vec::new();
    for number in 1..=4 {
        let shard = Shard::read(&format!("{number}/4")).unwrap();
        assert_eq!(shard.file_name("small"), format!("small.sweep.{number}of4.csv"));
        let part = sweep.run(&cache, shard, 2, &|_| ControlFlow::Continue(())).unwrap();
        assert!(part.complete() && part.rows.iter().all(|(index, _)| index % 4 == number - 1));
        rows.extend(part.rows);
    }
    rows.sort_by_key(|(index, _)| *index);
    assert_eq!(rows, whole.rows);
    let assembled = run(&sweep, &cache, 1);
    assert_eq!((assembled.ran, assembled.to_csv()), (0, whole.to_csv()));
    let beyond = sweep.run(&cache, Shard::read("31/31").unwrap(), 1, &|_| ControlFlow::Continue(())).unwrap();
    assert!(beyond.complete() && beyond.rows.is_empty() && beyond.to_csv().lines().count() == 1);
}

#[test]
fn a_changed_asset_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let (here, cache) = (folder.path(), folder.path().join("cache"));
    let frame = |k: usize, lift: f64| {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 {lift}\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
        fs::write(here.join(format!("flap_{k}.obj")), text).unwrap();
    };
    (1..=4).for_each(|k| frame(k, 0.1 * k as f64));
    let text = "title = 't'\n[body.asset]\nfile = 'flap_1.obj'\nunit = 'm'\n[system.shape-change]";
    let sweep = || Sweep::new("flap", Scene::from_toml(text, "f").unwrap(), here, &["anisotropy=0.1,0.5".into()]).unwrap();
    let first = run(&sweep(), &cache, 2);
    assert_eq!((first.ran, first.failed(), run(&sweep(), &cache, 2).ran), (2, 0, 0));
    frame(3, 0.9); // not the file the scene names, but one of its sequence
    let second = run(&sweep(), &cache, 2);
    assert_eq!(second.ran, 2);
    assert_ne!(second.rows, first.rows);
    // A file that is not there: refused if it is the first point's, else a row, which is not kept.
    let vary = |files: &str| Sweep::new("flap", Scene::from_toml(text, "f").unwrap(), here, &[format!("file={files}")]);
    assert!(vary("gone.glb,flap_1.obj").unwrap_err().to_string().contains("gone.glb"));
    let kept = entries(&cache).len();
    let partly = run(&vary("flap_1.obj,gone.glb").unwrap(), &cache, 1);
    assert_eq!((partly.failed(), entries(&cache).len() - kept), (1, 1));
    assert!(partly.rows[1].1.error.as_ref().unwrap().contains("gone.glb"));
}

/// Gross 2023, Fig. 7: the less the ground tells along from across, the less the snake gets forward; not at all if it does not.
#[test]
fn substrates_rank_as_in_the_figure() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::from_toml(examples::find("snake-substrates").unwrap().text, "snake-substrates").unwrap();
    let table = run(&Sweep::new("snake-substrates", scene, Path::new(""), &[]).unwrap(), folder.path(), 0);
    let travel: Vec<f64> = table.rows.iter().map(|(_, row)| row.displacement_body_lengths.unwrap()).collect();
    assert_eq!((table.failed(), travel.len()), (0, 12));
    assert!(travel.windows(2).all(|pair| pair[1] < pair[0]), "{travel:?}");
    // Measured: 1.89 body lengths in four cycles at 0.02, 8e-19 at 1.
    assert!(travel[0] > 1.8 && travel[0] < 2.0 && travel[11] < 1e-12, "{travel:?}");
}
