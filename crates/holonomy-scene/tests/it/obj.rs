//! OBJ: meshes with known topology and volume, sequences, a second reader, broken files.

use std::path::{Path, PathBuf};

use holonomy::nalgebra::Vector3;
use holonomy::shape::{Playback, Topology};
use holonomy_scene::Error;
use holonomy_scene::asset::obj::ObjAsset;
use holonomy_scene::asset::{ClipOptions, Up};

use crate::bvh::{data, mutate};
use crate::random::Random;

/// A unit cube as quads, scaled by `s` along x; one vertex too many in front, groups and texture numbers as exporters write them.
fn cube(s: f64) -> String {
    let mut text = String::from("# cube\nmtllib c.mtl\no cube\nv 9 9 9\n");
    for i in 0..8 {
        let (x, y, z) = (i & 1, (i >> 1) & 1, i >> 2);
        text += &format!("v {} {y} {z}\n", s * x as f64);
    }
    text += "vt 0 0\nvn 0 0 1\ng a\nf 2/1/1 4/1/1 5/1/1 3/1/1\nf 6//1 7//1 9//1 8//1\ng b\nf 2 3 7 6\nf 4 8 9 5\nusemtl m\nf -8 -4 -2 -6\nf 3/1 5/1 9/1 7/1\n";
    text
}

fn options() -> ClipOptions {
    ClipOptions { unit: Some(1.0), fps: Some(10.0), ..ClipOptions::default() }
}

fn write_sequence(folder: &Path, names: impl Fn(usize) -> String, frames: &[String]) -> Vec<PathBuf> {
    let path = |k: usize| folder.join(names(k));
    frames.iter().enumerate().for_each(|(k, text)| std::fs::write(path(k), text).unwrap());
    (0..frames.len()).map(path).collect()
}

/// A face of 100 vertices and 100 000 corners was taken without a word.
#[test]
fn faces_whose_corners_repeat_are_told() {
    let told = |faces: &str| {
        let text = format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n{faces}");
        ObjAsset::from_text(&text, "a.obj").unwrap().describe().notes.join("\n")
    };
    let said = told("f 1 2 3\nf 1 2 3 4 1 2 3 4\nf 2 3 4 2 3\n");
    assert!(said.contains("2 faces have a corner more than once") && said.contains("line 6"), "{said}");
    assert!(!told("f 1 2 3 4\nf 4 3 2 1\n").contains("more than once"));
    // Joined lines count as one face.
    assert!(told("f 1 2 \\\n3 4 1\n").contains("1 faces"));
}

#[test]
fn a_cube_is_closed_has_its_volume_and_is_one_piece() {
    let about = ObjAsset::from_text(&cube(2.0), "cube.obj").unwrap().describe();
    assert_eq!((about.vertices, about.unused_vertices, about.faces, about.components), (8, 1, 12, 1));
    assert!(about.watertight && about.border_edges == 0 && about.irregular_edges == 0);
    assert!((about.volume.unwrap() - 2.0).abs() < 1e-15);
    assert_eq!((about.low, about.high, about.size), ([0.0; 3], [2.0, 1.0, 1.0], [2.0, 1.0, 1.0]));
    assert!(about.notes.iter().any(|n| n.contains("1 vertices are in no face")), "{:?}", about.notes);
    serde_json::to_string(&about).unwrap();
    // Without its last face: a border of four edges (the fan's diagonal goes with it), no volume.
    let open = cube(1.0).replace("f 3/1 5/1 9/1 7/1\n", "");
    let about = ObjAsset::from_text(&open, "open.obj").unwrap().describe();
    assert_eq!((about.watertight, about.border_edges, about.volume), (false, 4, None));
    // Two apart, and one turned inside out along an edge.
    let two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 6 1 0\nf 1 2 3\nf 4 5 6\nf 5 6 7\n";
    let about = ObjAsset::from_text(two, "two.obj").unwrap().describe();
    assert_eq!((about.components, about.border_edges, about.irregular_edges), (2, 7, 1));
    let huge = ObjAsset::from_text(&cube(1e5), "huge.obj").unwrap().describe();
    assert!(huge.notes.iter().any(|n| n.contains("choose the unit")));
}

#[test]
fn one_file_is_one_shape() {
    let sampled = ObjAsset::from_text(&cube(1.0), "cube.obj").unwrap().sample(&options()).unwrap();
    assert_eq!((sampled.clip.frames(), sampled.clip.vertices()), (1, 8));
}

#[test]
fn sequences_are_found_in_numeric_order() {
    let folder = tempfile::tempdir().unwrap();
    // 8, 9, 10, 11: text order would put 10 first.
    let frames: Vec<String> = (0..4).map(|k| cube(1.0 + k as f64)).collect();
    let paths = write_sequence(folder.path(), |k| format!("grow_{}.obj", k + 8), &frames);
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    for path in [&paths[2], &folder.path().join("grow_%d.obj"), &folder.path().join("grow_%04d.obj"), folder.path()] {
        let sampled = ObjAsset::open(path).unwrap().sample(&options()).unwrap();
        assert_eq!((sampled.name.as_str(), sampled.clip.frames(), sampled.clip.vertices(), sampled.clip.dt()), ("grow", 4, 8, 0.1));
        assert!(sampled.recorded.is_none() && sampled.clip.playback() == Playback::Once);
        for k in 0..4 {
            assert_eq!(sampled.clip.frame(k)[1], Vector3::new(1.0 + k as f64, 0.0, 0.0));
        }
        let Topology::Surface { faces } = sampled.clip.topology() else { panic!("not a surface") };
        assert_eq!((faces.len(), faces[0]), (12, [0, 2, 3]));
    }
    let asset = ObjAsset::open(&paths[0]).unwrap();
    // Frames are the numbers in the names; Z up and centimetres turn and scale.
    let part = asset.sample(&ClipOptions { frames: Some((9, 10)), unit: Some(0.01), up: Some(Up::Z), ..options() }).unwrap();
    assert_eq!(part.clip.frames(), 2);
    assert_eq!(part.clip.frame(0)[7], Vector3::new(0.02, 0.01, -0.01));
    let plain = asset.sample(&ClipOptions::default()).unwrap();
    assert_eq!(plain.clip.dt(), 1.0 / 24.0);
    assert!(plain.notes.iter().any(|n| n.contains("--unit")) && plain.notes.iter().any(|n| n.contains("--fps")));
    assert!(
        matches!(asset.sample(&ClipOptions { frames: Some((7, 9)), ..options() }), Err(Error::Choice(t)) if t.contains("from 8 to 11"))
    );
    // A gap is noted, the same number twice refused, a second mesh in the folder asked about.
    std::fs::remove_file(&paths[1]).unwrap();
    assert!(ObjAsset::open(&paths[0]).unwrap().describe().notes.iter().any(|n| n.contains("between 8 and 10")));
    std::fs::write(folder.path().join("grow_010.obj"), cube(1.0)).unwrap();
    assert!(ObjAsset::open(&paths[0]).unwrap_err().to_string().contains("both frame 10"));
    std::fs::write(folder.path().join("other.obj"), cube(1.0)).unwrap();
    assert!(ObjAsset::open(folder.path()).unwrap_err().to_string().contains("several meshes"));
    assert!(ObjAsset::open(folder.path().join("none_%d.obj")).unwrap_err().to_string().contains("no file fits"));
    assert!(ObjAsset::open(folder.path().join("none_1.obj")).unwrap_err().to_string().contains("no such file"));
    let empty = tempfile::tempdir().unwrap();
    assert!(ObjAsset::open(empty.path()).unwrap_err().to_string().contains("no .obj file"));
}

#[test]
fn a_sequence_that_comes_back_is_a_loop() {
    let folder = tempfile::tempdir().unwrap();
    let frames: Vec<String> = [1.0, 1.5, 2.0, 1.5, 1.0005].iter().map(|&s| cube(s)).collect();
    let paths = write_sequence(folder.path(), |k| format!("{k:04}.obj"), &frames);
    let sampled = ObjAsset::open(&paths[0]).unwrap().sample(&options()).unwrap();
    assert_eq!((sampled.clip.playback(), sampled.clip.frames()), (Playback::Loop, 4));
    assert!((sampled.clip.duration() - 0.4).abs() < 1e-15);
    // 0.3 % of the size away is no loop.
    std::fs::write(&paths[4], cube(1.01)).unwrap();
    let sampled = ObjAsset::open(&paths[0]).unwrap().sample(&options()).unwrap();
    assert_eq!((sampled.clip.playback(), sampled.clip.frames()), (Playback::Once, 5));
}

/// A cycle of 24 files whose repeated frame was not written. Before, it did not loop, and `cycles`
/// was ignored.
#[test]
fn a_sequence_one_step_short_of_its_start_is_a_loop() {
    let folder = tempfile::tempdir().unwrap();
    let size = |k: usize| 1.0 + 0.3 * (std::f64::consts::TAU * k as f64 / 24.0).sin();
    let frames: Vec<String> = (0..24).map(|k| cube(size(k))).collect();
    let paths = write_sequence(folder.path(), |k| format!("arm_{k:04}.obj"), &frames);
    let asset = ObjAsset::open(&paths[0]).unwrap();
    let sampled = asset.sample(&options()).unwrap();
    assert_eq!((asset.name(), sampled.clip.playback(), sampled.clip.frames()), ("arm", Playback::Loop, 24));
    assert!(sampled.notes.iter().any(|note| note.contains("one step before its start")), "{:?}", sampled.notes);
    // Chosen frames are taken as they are, and a sequence that goes one way is none.
    let part = asset.sample(&ClipOptions { frames: Some((0, 23)), ..options() }).unwrap();
    assert_eq!(part.clip.playback(), Playback::Once);
    for (k, path) in paths.iter().enumerate() {
        std::fs::write(path, cube(1.0 + 0.05 * k as f64)).unwrap();
    }
    assert_eq!(ObjAsset::open(&paths[0]).unwrap().sample(&options()).unwrap().clip.playback(), Playback::Once);
}

#[test]
fn a_frame_of_another_mesh_is_named() {
    let changed = [
        (cube(1.0) + "v 1 2 3\n", "vertices: 10 found, 9 expected"),
        (cube(1.0) + "f 2 3 4\n", "faces: 13 triangles found, 12 expected"),
        (cube(1.0).replace("f 2 3 7 6", "f 3 7 6 2"), "triangle 5 joins vertices [3, 7, 6], not [2, 3, 7]"),
    ];
    for (text, words) in changed {
        let folder = tempfile::tempdir().unwrap();
        let paths = write_sequence(folder.path(), |k| format!("w.{k:02}.obj"), &[cube(1.0), cube(1.1), text]);
        let error = ObjAsset::open(&paths[0]).unwrap().sample(&options()).unwrap_err().to_string();
        assert!(error.contains("w.02.obj") && error.contains(words) && error.contains("w.00.obj"), "{error}");
    }
}

#[test]
fn broken_files_are_refused_with_the_line() {
    for (text, line, words) in [
        ("", "the whole file", "0 vertices and no faces"),
        ("v 1 2 3\nv 1 2 4\n", "the whole file", "2 vertices and no faces"),
        ("v 1 2\n", "line 1", "coordinate"),
        ("v 1 2 x\n", "line 1", "`x`"),
        ("v 1 2 nan\n", "line 1", "`nan`"),
        ("v 1 2 3\nv inf 0 0", "line 2", "`inf`"),
        ("v 1 2 3\nf 1 1\n", "line 2", "2 corners"),
        ("v 1 2 3\nf\n", "line 2", "without corners"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4", "names vertex 4, but there are only 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "line 4", "`0`"),
        ("v 0 0 0\nf -1 -2 -3\n", "line 2", "`-2`"),
        ("f -9223372036854775808 1 2\n", "line 1", "names no vertex"),
        ("f 99999999999999999999 1 2\n", "line 1", "names no vertex"),
        ("f 4294967296 1 2\n", "line 1", "names no vertex"),
        ("v 0 0 0\nf 1 1 1 1\n", "the whole file", "no faces"),
    ] {
        let error = ObjAsset::from_text(text, "x/bad.obj").expect_err(text).to_string();
        assert!(error.contains(&format!("x/bad.obj: {line}:")) && error.contains(words), "{text:?}\n gave {error}");
    }
    // Numbers after the position, joined lines, vertices after their face: all allowed.
    let odd = "f 1 2 \\\n3\nv 0 0 0 1\r\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0\nl 1 2\np 1\nwhatever\n";
    assert_eq!(ObjAsset::from_text(odd, "odd.obj").unwrap().describe().faces, 1);
    // Overflow is the engine's error, not an infinity passed on.
    let folder = tempfile::tempdir().unwrap();
    let far = cube(1.0).replace("v 1 1 1", "v 1e308 1 1");
    let paths = write_sequence(folder.path(), |k| format!("{k}.obj"), &[cube(1.0), far]);
    let error = ObjAsset::open(&paths[0]).unwrap().sample(&ClipOptions { unit: Some(100.0), ..options() }).unwrap_err().to_string();
    assert!(error.contains("not finite"), "{error}");
}

#[test]
fn another_reader_sees_the_same_meshes() {
    let Some(folder) = data("meshes") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = ObjAsset::open(&path).unwrap().describe();
        let (models, _) = tobj::load_obj(&path, &tobj::LoadOptions { triangulate: true, ..Default::default() }).unwrap();
        let faces: usize = models.iter().map(|m| m.mesh.indices.len() / 3).sum();
        let vertices: usize = models.iter().map(|m| m.mesh.positions.len() / 3).sum();
        assert_eq!((about.faces, about.vertices), (faces, vertices), "{}", path.display());
        let Some(volume) = about.volume else {
            assert!(about.border_edges + about.irregular_edges > 0, "{}", path.display());
            continue;
        };
        let mut theirs = 0.0;
        for mesh in models.iter().map(|m| &m.mesh) {
            let corner = |i: u32| Vector3::from_fn(|axis, _| f64::from(mesh.positions[3 * i as usize + axis]));
            theirs += mesh.indices.chunks_exact(3).map(|f| corner(f[0]).dot(&corner(f[1]).cross(&corner(f[2]))) / 6.0).sum::<f64>();
        }
        eprintln!("{}: {} vertices, {} pieces, volume {volume:.6}", path.display(), about.vertices, about.components);
        assert!((volume - theirs).abs() < 1e-7 * volume.abs(), "{}: {volume} and {theirs}", path.display()); // measured 5e-9: the other reader keeps 24 bits
        assert!(volume > 0.0, "{}", path.display());
    }
}

#[test]
fn mutated_files_never_panic() {
    let words = [
        " -1 ",
        " 0 ",
        "/",
        "//",
        " 1e308 ",
        " nan ",
        "\nf ",
        "\nv ",
        "\\\n",
        "f 1 2 3\n",
        "99999999999999999999",
        " -9223372036854775808 ",
        "é",
        "\r\n",
    ];
    let mut random = Random(99);
    let mut read = 0;
    for seed in [cube(1.0), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_string()] {
        for _ in 0..4000 {
            let text = mutate(&seed, &words, &mut random);
            if let Ok(asset) = ObjAsset::from_text(&text, "fuzz.obj") {
                read += 1;
                let about = asset.describe();
                assert!(about.faces > 0 && about.vertices >= 3 && about.components >= 1);
            }
        }
    }
    assert!(read > 1500, "{read}"); // measured 3030 of 8000
}
