//! Masses of a rig from a text file: lines `joint mass_kg`, the mass of the bone that ends at that joint; `#` starts a comment.

use std::path::Path;

use holonomy::shape::{Bone, Joint};

use crate::suggest::did_you_mean;
use crate::{Error, input};

/// Replaces the masses of `bones` by those of the file; bones it does not name carry none, with a note.
pub(super) fn read(path: &Path, joints: &[Joint], mut bones: Vec<Bone>) -> Result<(Vec<Bone>, Vec<String>), Error> {
    let bytes = input::bytes(path, 2, "give a file of a line a joint")?;
    let text = String::from_utf8_lossy(&bytes);
    let mut given: Vec<Option<f64>> = vec![None; bones.len()];
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let malformed = |problem: String, fix: String| Error::malformed(path, format!("line {}", number + 1), problem, fix);
        let (name, mass) = entry(line).map_err(|(problem, fix)| malformed(problem, fix))?;
        let bone = bone_at(name, joints, &bones).map_err(|(problem, fix)| malformed(problem, fix))?;
        if given[bone].replace(mass).is_some() {
            return Err(malformed(format!("a second mass for `{name}`"), "keep one of the lines".into()));
        }
    }
    if given.iter().flatten().sum::<f64>() <= 0.0 {
        return Err(Error::malformed(path, "the whole file", "no mass above zero", "give lines such as `LeftFoot 1.0`"));
    }
    let missing: Vec<&str> = bones.iter().zip(&given).filter(|(_, m)| m.is_none()).map(|(b, _)| joints[b.to].name.as_str()).collect();
    let notes = match missing.len() {
        0 => Vec::new(),
        n => vec![format!("{n} bone(s) are not in {} and carry no mass: those that end at {}", path.display(), missing.join(", "))],
    };
    bones.iter_mut().zip(given).for_each(|(bone, mass)| bone.mass = mass.unwrap_or(0.0));
    Ok((bones, notes))
}

/// A line's joint and mass, or the problem and its fix. The name may have spaces: the mass is the last word.
fn entry(line: &str) -> Result<(&str, f64), (String, String)> {
    let form = || "write the joint's name, a space, and kilograms".to_string();
    let (name, mass) = line.rsplit_once(char::is_whitespace).ok_or_else(|| (format!("`{line}` is one word"), form()))?;
    match mass.parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok((name.trim(), value)),
        _ => Err((format!("the mass `{mass}` is not a number of kilograms, zero or more"), form())),
    }
}

/// The bone that ends at the named joint.
fn bone_at(name: &str, joints: &[Joint], bones: &[Bone]) -> Result<usize, (String, String)> {
    let named: Vec<usize> = (0..joints.len()).filter(|&i| joints[i].name == name).collect();
    match named.as_slice() {
        [] => {
            let close = did_you_mean(name, joints.iter().map(|joint| joint.name.as_str()));
            let fix = close.map_or_else(|| "use a joint of the file".into(), |known| format!("did you mean `{known}`?"));
            Err((format!("there is no joint `{name}`"), fix))
        }
        [joint] => bones.iter().position(|b| b.to == *joint).ok_or_else(|| {
            let problem = format!("no bone ends at `{name}`: it is a root, or lies on its parent");
            (problem, "give the mass to a bone that has a length".into())
        }),
        _ => Err((format!("{} joints are called `{name}`", named.len()), "rename them in the asset".into())),
    }
}
