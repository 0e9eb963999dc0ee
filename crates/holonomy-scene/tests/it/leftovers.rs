//! Temporary files: what killed runs left goes, what living ones write stays; frames of two
//! animations never stand in one folder.

use std::fs::{self, File};
use std::path::Path;

use holonomy_scene::export::files::OutputDir;
use holonomy_scene::picture::NumberedFrames;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// They stayed for ever: 17 of 20 animations that were killed left a hidden folder, and no later
/// run removed one.
#[test]
fn what_killed_runs_left_is_removed_and_what_living_ones_write_stays() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at(".holonomy-dead01.tmp"), "half").unwrap();
    fs::create_dir(at(".holonomy-dead02.tmp")).unwrap();
    for name in ["lock", "frame_00000.png", "frame_00001.png", "old_00000.png"] {
        fs::write(at(".holonomy-dead02.tmp").join(name), "").unwrap();
    }
    fs::create_dir(at(".holonomy-dead03.tmp")).unwrap();
    // Not ours, or not known to be.
    fs::write(at(".holonomy-notes.txt"), "mine").unwrap();
    fs::write(at("holonomy-a.tmp"), "mine").unwrap();
    fs::create_dir(at(".holonomy-full.tmp")).unwrap();
    fs::write(at(".holonomy-full.tmp").join("mine.txt"), "mine").unwrap();
    let mine = [".holonomy-full.tmp", ".holonomy-notes.txt", "holonomy-a.tmp"];
    // Of runs that live.
    let mut frames = NumberedFrames::begin(dir.path()).unwrap();
    frames.add(b"a frame").unwrap();
    let hidden = frames.hidden().to_owned();
    let living = File::create(at(".holonomy-living.tmp")).unwrap();
    living.lock().unwrap();

    OutputDir::open(dir.path()).unwrap();
    let mut stay: Vec<String> = mine.map(String::from).to_vec();
    stay.extend([".holonomy-living.tmp".to_owned(), hidden.file_name().unwrap().to_string_lossy().into_owned()]);
    stay.sort();
    assert_eq!(names(dir.path()), stay);
    assert_eq!(names(&hidden), ["frame_00000.png", "lock"]);
    frames.put_in_place().unwrap();
    drop(living);
    OutputDir::open(dir.path()).unwrap();
    assert_eq!(names(dir.path()), [&mine[..2], &["frame_00000.png", mine[2]]].concat());
    #[cfg(unix)]
    {
        // A link of such a name is not followed.
        std::os::unix::fs::symlink(at("holonomy-a.tmp"), at(".holonomy-link.tmp")).unwrap();
        OutputDir::open(dir.path()).unwrap();
        assert_eq!(fs::read_to_string(at("holonomy-a.tmp")).unwrap(), "mine");
    }
}

/// Each looks for leftovers while the others write: none may take the others' for its own.
#[test]
fn many_runs_at_once_in_one_folder_take_nothing_from_each_other() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let folder = dir.path();
            scope.spawn(move || {
                for round in 0..60 {
                    let mut out = OutputDir::open(folder).unwrap();
                    let files: Vec<_> = (0..5).map(|i| (format!("{thread}_{i}.txt"), format!("{thread} {i} {round}"))).collect();
                    out.write_all(&files).unwrap();
                    let mut frames = NumberedFrames::begin(&folder.join(format!("film{thread}"))).unwrap();
                    (0..3).for_each(|_| frames.add(b"a frame").unwrap());
                    frames.put_in_place().unwrap();
                    for (name, text) in files {
                        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text);
                    }
                }
            });
        }
    });
    OutputDir::open(dir.path()).unwrap();
    assert_eq!(names(dir.path()).len(), 8 * 6, "{:?}", names(dir.path()));
}

/// Frames 0 to 3 were of the new animation and 4 to 19 of the old one, under one numbering.
#[test]
fn frames_of_two_animations_never_stand_in_one_folder() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("frames");
    let put = |count: usize, what: &str| {
        let mut frames = NumberedFrames::begin(&folder).unwrap();
        (0..count).for_each(|_| frames.add(what.as_bytes()).unwrap());
        frames
    };
    let held = || -> Vec<String> { names(&folder).iter().map(|name| fs::read_to_string(folder.join(name)).unwrap()).collect() };
    put(20, "old").put_in_place().unwrap();
    // Breaks off at the fifth.
    let frames = put(10, "new");
    fs::remove_file(frames.hidden().join("frame_00004.png")).unwrap();
    assert!(frames.put_in_place().unwrap_err().to_string().contains("frame_00004.png"));
    assert_eq!(held(), vec!["old"; 20], "all as it was");
    assert_eq!(names(dir.path()), ["frames"]);
    put(10, "new").put_in_place().unwrap();
    assert_eq!(held(), vec!["new"; 10]);
    put(30, "newer").put_in_place().unwrap();
    assert_eq!(held(), vec!["newer"; 30]);
}
