//! The frames of an animation as numbered files, for a video encoder: they are gathered in a hidden folder, then put in place together.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::export::temporary::{TemporaryFolder, remove_stale};
use crate::{Error, IoAction};

/// Frames on their way into a folder. Until they are put in place, the folder is as it was; if they never are, nothing is left behind.
#[derive(Debug)]
pub struct NumberedFrames {
    folder: PathBuf,
    hidden: TemporaryFolder,
    count: usize,
}

impl NumberedFrames {
    /// None yet. The hidden folder lies in `folder`, or, if that is not there, in the nearest one
    /// around it that is. Those that killed runs left there are removed.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn begin(folder: &Path) -> Result<NumberedFrames, Error> {
        let around = folder.ancestors().find(|around| around.is_dir()).unwrap_or(Path::new("."));
        remove_stale(around);
        let hidden = TemporaryFolder::in_folder(around).map_err(|e| Error::io(IoAction::WriteIn, around, e))?;
        Ok(NumberedFrames { folder: folder.into(), hidden, count: 0 })
    }

    /// Where the frames are until they are put in place: what is to be removed if the program ends without dropping this.
    pub fn hidden(&self) -> &Path {
        self.hidden.path()
    }

    /// Adds a frame, a PNG file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, png: &[u8]) -> Result<(), Error> {
        let path = self.hidden.path().join(name(self.count));
        fs::write(&path, png).map_err(|e| Error::io(IoAction::Write, &path, e))?;
        self.count += 1;
        Ok(())
    }

    /// Makes the folder if it is missing and puts the frames there as `frame_00000.png`, …. They
    /// take the place of those of an earlier animation, also of the ones that follow on them where
    /// that was longer.
    ///
    /// The earlier ones are moved away first, the last one first, and then the new ones come in,
    /// the first one first. So frames of two animations never stand in one folder: a run that is
    /// killed in between leaves the beginning of one of them.
    ///
    /// # Errors
    /// The folder cannot be made, or a file not be put in place or moved away; then the earlier
    /// frames are there again.
    pub fn put_in_place(self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|e| Error::io(IoAction::Create, &self.folder, e))?;
        let is_there = |i: usize| fs::symlink_metadata(self.folder.join(name(i)));
        let earlier: Vec<usize> = (0..).take_while(|&i| i < self.count || is_there(i).is_ok()).filter(|&i| is_there(i).is_ok()).collect();
        let about = |i: usize, e| {
            let action = if i < self.count { IoAction::Write } else { IoAction::Remove };
            Error::io(action, &self.folder.join(name(i)), e)
        };
        if let Some(&i) = earlier.iter().find(|&&i| is_there(i).is_ok_and(|meta| meta.is_dir())) {
            return Err(about(i, ErrorKind::IsADirectory.into()));
        }
        for (moved, &i) in earlier.iter().rev().enumerate() {
            if let Err(e) = fs::rename(self.folder.join(name(i)), self.old(i)) {
                self.put_back(&earlier[earlier.len() - moved..]);
                return Err(about(i, e));
            }
        }
        for i in 0..self.count {
            let path = self.folder.join(name(i));
            if let Err(e) = fs::rename(self.hidden.path().join(name(i)), &path) {
                for i in (0..i).rev() {
                    // One of these frames, put there just now.
                    let _ = fs::remove_file(self.folder.join(name(i)));
                }
                self.put_back(&earlier);
                return Err(about(i, e));
            }
        }
        Ok(())
    }

    /// Where an earlier frame is while the new ones come in.
    fn old(&self, i: usize) -> PathBuf {
        self.hidden.path().join(format!("old_{i:05}.png"))
    }

    /// Puts earlier frames back to where they were, as far as that can be done.
    fn put_back(&self, earlier: &[usize]) {
        for &i in earlier {
            let _ = fs::rename(self.old(i), self.folder.join(name(i)));
        }
    }
}

fn name(i: usize) -> String {
    format!("frame_{i:05}.png")
}
