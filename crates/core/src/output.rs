//! Atomic file output.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written. It takes its name only when it is finished, so that a failure leaves the old file intact.
///
/// The bytes go to a temporary file in the same folder, which is synced and renamed at the end. A symbolic link stands
/// for the file it points to. What exists and is not a regular file, a device or a pipe, cannot be replaced and is
/// written to directly.
#[derive(Debug)]
pub struct OutputFile(OutputKind);

#[derive(Debug)]
enum OutputKind {
    Direct(BufWriter<File>),
    Temporary(BufWriter<NamedTempFile>, PathBuf),
}

impl OutputFile {
    /// Starts a file.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A dangling link is an error here, as its target cannot be told from a missing folder.
        let path = if path.is_symlink() { path.canonicalize()? } else { path.to_owned() };
        match path.metadata() {
            Ok(meta) if meta.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file"));
            }
            Ok(meta) if !meta.is_file() => {
                let file = File::options().write(true).open(&path)?;
                return Ok(Self(OutputKind::Direct(BufWriter::new(file))));
            }
            _ => {}
        }
        let temporary = tempfile::Builder::new().prefix(".ermine-").tempfile_in(folder_of(&path))?;
        Ok(Self(OutputKind::Temporary(BufWriter::with_capacity(1 << 16, temporary), path)))
    }

    /// Completes the file and moves it to its place.
    pub fn finish(self) -> io::Result<()> {
        let (out, path) = match self.0 {
            OutputKind::Direct(mut out) => return out.flush(),
            OutputKind::Temporary(out, path) => (out, path),
        };
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // A temporary file is private; this one gets the permissions of the file it replaces, or of any new file.
            let mode = path.metadata().map_or(0o644, |m| m.permissions().mode());
            file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        file.persist(&path).map_err(|e| e.error)?;
        // The rename is durable once the folder is synced; not every system can do that.
        if let Ok(folder) = File::open(folder_of(&path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            OutputKind::Direct(out) => out.write(buf),
            OutputKind::Temporary(out, _) => out.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            OutputKind::Direct(out) => out.flush(),
            OutputKind::Temporary(out, _) => out.flush(),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        let mut out = OutputFile::create(path)?;
        out.write_all(text.as_bytes())?;
        out.finish()
    }

    #[test]
    fn a_file_is_replaced_only_when_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, "old").unwrap();
        let mut half = OutputFile::create(&path).unwrap();
        half.write_all(b"ne").unwrap();
        drop(half);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        write(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        assert_eq!(write(folder.path(), "x").unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        // Through a link, so that a defect here would replace the link and not the device.
        let null = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write(&null, "gone").unwrap();
        assert!(null.is_symlink() && Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
    }
}
