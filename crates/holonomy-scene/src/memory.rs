//! Refuses what would not fit in memory, before it is tried.
//!
//! What is free is what Linux says, what the control groups of this process leave it (cgroup v2, as containers have), and what its own limit of addresses
//! does (`ulimit -v`). Elsewhere nobody says, and a constant stands for it.

use std::fs;
use std::path::Path;

use crate::Error;

/// Taken for free where the system does not say: what a loop may take by itself, too.
const UNTOLD: u64 = 4 << 30;

/// Fails if `needed` bytes are more than can be had.
pub(crate) fn ensure(needed: u64, what: impl FnOnce() -> String, fix: &'static str) -> Result<(), Error> {
    let available = available(Path::new("/"));
    if needed > available { Err(Error::TooLarge { what: what(), needed, available, fix }) } else { Ok(()) }
}

/// Refuses cycles of so many frames that would not fit, after the first has been found.
pub(crate) fn ensure_cycles(frames: usize, cycles: usize, bodies: usize) -> Result<(), holonomy::Error> {
    let needed = [cycles, bodies, FRAME].iter().fold(frames as u64, |product, &times| product.saturating_mul(times as u64));
    let expected = "fewer: the frames of so many would not fit in memory";
    if needed <= available(Path::new("/")) {
        Ok(())
    } else {
        Err(holonomy::Error::Parameter { name: "cycles", value: cycles as f64, expected })
    }
}

/// Bytes that a frame of one body takes in a motion and its files.
pub(crate) const FRAME: usize = 8000;

/// Bytes that can be had without swapping, by what the system whose files lie below `root` says.
fn available(root: &Path) -> u64 {
    let told = [of_the_system(root), of_the_groups(root), of_the_process(root)];
    told.into_iter().flatten().min().unwrap_or(UNTOLD)
}

/// What the limit on the addresses of this process leaves; `None` if it has none.
fn of_the_process(root: &Path) -> Option<u64> {
    let limits = fs::read_to_string(root.join("proc/self/limits")).ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit = limit.split_whitespace().next()?.parse::<u64>().ok()?; // "unlimited" is none
    let status = fs::read_to_string(root.join("proc/self/status")).ok()?;
    let taken = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let taken = taken.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?;
    Some(limit.saturating_sub(taken.saturating_mul(1024)))
}

fn of_the_system(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What the group of this process and all groups around it leave. In a container its own is the outermost that can be seen.
fn of_the_groups(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let group = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let top = root.join("sys/fs/cgroup");
    Path::new(group).ancestors().filter_map(|group| of_a_group(&top.join(group))).min()
}

/// What a group may still take; `None` if it has no limit. What it only remembers of files is given back when asked for.
fn of_a_group(folder: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let limit = number(&read("memory.max")?)?; // "max" is none
    let taken = number(&read("memory.current")?)?;
    let of_files = read("memory.stat").and_then(|text| text.lines().find_map(|line| number(line.strip_prefix("inactive_file ")?)));
    Some(limit.saturating_sub(taken.saturating_sub(of_files.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system of these files.
    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn free(files: &[(&str, &str)]) -> u64 {
        available(system(files).path())
    }

    const SYSTEM: (&str, &str) = ("proc/meminfo", "MemTotal:  9000 kB\nMemFree: 10 kB\nMemAvailable:    8000 kB\n");
    const GROUP: (&str, &str) = ("proc/self/cgroup", "4:memory:/old\n0::/outer/inner\n");

    #[test]
    fn the_least_of_all_limits_counts() {
        assert_eq!(free(&[SYSTEM]), 8000 * 1024);
        let addresses = |limit: &'static str| [("proc/self/limits", limit), ("proc/self/status", "Name: x\nVmSize:\t  1000 kB\n")];
        let [limits, status] = addresses("Max cpu time  unlimited  unlimited  seconds\nMax address space  3000000  unlimited  bytes\n");
        assert_eq!(free(&[SYSTEM, limits, status]), 3_000_000 - 1000 * 1024);
        let [limits, status] = addresses("Max address space         unlimited            unlimited            bytes\n");
        assert_eq!(free(&[SYSTEM, limits, status]), 8000 * 1024);
        let limited = |name: &'static str, max: &'static str| [(name, max), ("sys/fs/cgroup/outer/memory.current", "1000000\n")];
        let [max, current] = limited("sys/fs/cgroup/outer/memory.max", "5000000\n");
        assert_eq!(free(&[SYSTEM, GROUP, max, current]), 4_000_000);
        assert_eq!(free(&[GROUP, max, current]), 4_000_000);
        let stat = ("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 300000\nactive_file 7\n");
        assert_eq!(free(&[SYSTEM, GROUP, max, current, stat]), 4_300_000, "files that are only remembered take nothing");
        let [none, current] = limited("sys/fs/cgroup/outer/memory.max", "max\n");
        assert_eq!(free(&[SYSTEM, GROUP, none, current]), 8000 * 1024);
        let tight = [("sys/fs/cgroup/outer/inner/memory.max", "10"), ("sys/fs/cgroup/outer/inner/memory.current", "4")];
        assert_eq!(free(&[SYSTEM, GROUP, max, current, tight[0], tight[1]]), 6);
        // A container sees its own group as the outermost.
        let contained = [("sys/fs/cgroup/memory.max", "700"), ("sys/fs/cgroup/memory.current", "900")];
        assert_eq!(free(&[SYSTEM, ("proc/self/cgroup", "0::/\n"), contained[0], contained[1]]), 0, "it is full");
    }

    #[test]
    fn where_the_system_does_not_say_there_is_a_limit_all_the_same() {
        assert_eq!(free(&[]), UNTOLD);
        assert_eq!(free(&[("proc/meminfo", "nothing of use"), ("proc/self/cgroup", "4:memory:/old\n")]), UNTOLD);
    }
}
