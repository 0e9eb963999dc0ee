//! The frames of an animation as numbered files, for a video encoder: they are gathered in a hidden folder, then put in place together.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Error, IoAction};

/// Frames on their way into a folder. Until they are put in place, the folder is as it was; if they never are, nothing is left behind.
#[derive(Debug)]
pub struct NumberedFrames {
    folder: PathBuf,
    hidden: TempDir,
    count: usize,
}

impl NumberedFrames {
    /// None yet. The hidden folder lies in `folder`, or, if that is not there, in the nearest one around it that is.
    ///
    /// # Errors
    /// Nothing can be written there.
    pub fn begin(folder: &Path) -> Result<NumberedFrames, Error> {
        let around = folder.ancestors().find(|around| around.is_dir()).unwrap_or(Path::new("."));
        let hidden = tempfile::Builder::new().prefix(".holonomy-").suffix(".tmp").tempdir_in(around);
        let hidden = hidden.map_err(|e| Error::io(IoAction::WriteIn, around, e))?;
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

    /// Makes the folder if it is missing, puts the frames there as `frame_00000.png`, …, and removes those that follow on them, which an earlier,
    /// longer animation left.
    ///
    /// # Errors
    /// The folder cannot be made, or a file not be put in place or removed.
    pub fn put_in_place(self) -> Result<(), Error> {
        fs::create_dir_all(&self.folder).map_err(|e| Error::io(IoAction::Create, &self.folder, e))?;
        for name in (0..self.count).map(name) {
            let path = self.folder.join(&name);
            fs::rename(self.hidden.path().join(name), &path).map_err(|e| Error::io(IoAction::Write, &path, e))?;
        }
        for path in (self.count..).map(|i| self.folder.join(name(i))).take_while(|path| path.exists()) {
            fs::remove_file(&path).map_err(|e| Error::io(IoAction::Remove, &path, e))?;
        }
        Ok(())
    }
}

fn name(i: usize) -> String {
    format!("frame_{i:05}.png")
}
