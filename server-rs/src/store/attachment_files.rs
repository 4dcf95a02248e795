//! Keeps the bytes of attachments in a folder next to the database, each content in a file named by its SHA-256 (rule
//! ATT-09).
//!
//! Invariants: a file in that folder under a final name is always complete, since the name comes from a rename. No
//! descriptor stays open between two reads or writes, so attachments never compete with connections for descriptors
//! (rule HTT-12). Knows nothing of rows.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::Handle;

use crate::config::Durability;
use crate::contract::LIMITS;
use crate::digest::{Digest, digest_hex, parse_digest};
use crate::platform;
use crate::store::path::sibling;

/// Prefix of temporary file names.
const TEMPORARY: &str = "upload-";

/// Returns the bytes that a file of `size` bytes takes on disk: whole blocks (rule ATT-04).
pub fn disk_bytes(size: u64) -> u64 {
    size.div_ceil(LIMITS.attachment_block_bytes).saturating_mul(LIMITS.attachment_block_bytes)
}

/// The folder of a database's attachments, created with the first one.
#[derive(Debug)]
pub struct AttachmentFiles {
    folder: PathBuf,
    /// Whether files must survive a power loss.
    is_synced: bool,
    next: AtomicU64,
}

/// A file without its final name; dropping it removes the file unless it was renamed.
#[derive(Debug)]
pub struct TemporaryFile {
    path: PathBuf,
    is_synced: bool,
}

impl AttachmentFiles {
    /// Returns the attachment folder of the database at `db`.
    pub fn new(db: &Path, durability: Durability) -> Self {
        let is_synced = durability == Durability::Power;
        Self { folder: sibling(db, ".attachments"), is_synced, next: AtomicU64::new(1) }
    }

    /// Creates an empty temporary file.
    pub fn begin(&self) -> Result<TemporaryFile> {
        self.make_folder(&self.folder)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{TEMPORARY}{number}"));
        platform::private_file().open(&path)?;
        Ok(TemporaryFile { path, is_synced: self.is_synced })
    }

    /// Renames a file to the name of its content. An existing file of that name holds the same bytes.
    pub fn persist(&self, file: &TemporaryFile, digest: &Digest) -> Result<()> {
        let path = self.path_of(digest);
        let folder = path.parent().unwrap_or(&self.folder);
        self.make_folder(folder)?;
        fs::rename(&file.path, &path)?;
        self.sync_folder(folder)
    }

    /// Removes a content, if it is there.
    pub fn remove(&self, digest: &Digest) -> Result<()> {
        match fs::remove_file(self.path_of(digest)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns whether the complete content exists.
    pub fn has(&self, digest: &Digest, size: u64) -> Result<bool> {
        match fs::metadata(self.path_of(digest)) {
            Ok(file) => Ok(file.is_file() && file.len() == size),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Copies a content to another folder; `false` when the complete content is not here.
    pub fn copy_to(&self, target: &AttachmentFiles, digest: &Digest, size: u64) -> Result<bool> {
        if target.has(digest, size)? {
            return Ok(true);
        }
        if !self.has(digest, size)? {
            return Ok(false);
        }
        let file = target.begin()?;
        match fs::copy(self.path_of(digest), &file.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            copied => copied?,
        };
        file.sync()?;
        target.persist(&file, digest)?;
        Ok(true)
    }

    /// Reads exactly `length` bytes of a content from `start`.
    pub fn read(&self, digest: &Digest, start: u64, length: usize) -> Result<Vec<u8>> {
        read_part(&self.path_of(digest), start, length)
    }

    /// Removes temporary files and unknown contents. Files with other names belong to other programs and
    /// stay.
    pub fn sweep(&self, is_known: impl Fn(&Digest) -> bool) -> Result<()> {
        for name in names_in(&self.folder)? {
            let path = self.folder.join(&name);
            if name.starts_with(TEMPORARY) {
                fs::remove_file(path)?;
            } else if name.len() == 2 && path.is_dir() {
                for file in names_in(&path)? {
                    let digest = parse_digest(&file).filter(|_| file.starts_with(&name));
                    if digest.is_some_and(|digest| !is_known(&digest)) {
                        fs::remove_file(path.join(file))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn path_of(&self, digest: &Digest) -> PathBuf {
        let name = digest_hex(digest);
        self.folder.join(&name[..2]).join(name)
    }

    fn make_folder(&self, folder: &Path) -> Result<()> {
        match platform::private_folder().create(folder) {
            Ok(()) => self.sync_folder(folder.parent().unwrap_or(folder)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the names of a folder survive a power loss.
    fn sync_folder(&self, folder: &Path) -> Result<()> {
        if self.is_synced { platform::sync_folder(folder) } else { Ok(()) }
    }
}

impl TemporaryFile {
    /// Appends bytes.
    pub fn append(&self, bytes: &[u8]) -> Result<()> {
        OpenOptions::new().append(true).open(&self.path)?.write_all(bytes)
    }

    /// Reads exactly `length` bytes from `start`.
    pub fn read(&self, start: u64, length: usize) -> Result<Vec<u8>> {
        read_part(&self.path, start, length)
    }

    /// Makes its bytes survive a power loss, if required.
    pub fn sync(&self) -> Result<()> {
        if self.is_synced { platform::open_to_sync(&self.path)?.sync_all() } else { Ok(()) }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        // The file is absent after a rename; the next start removes a file that remains.
        let remove = move || drop(fs::remove_file(path));
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

fn read_part(path: &Path, start: u64, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Returns the file names that are valid text; none for a missing folder.
fn names_in(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    names.filter_map(Result::transpose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: Digest = [0xab; 32];

    fn files(durability: Durability) -> (tempfile::TempDir, AttachmentFiles) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = AttachmentFiles::new(&folder.path().join("events.db"), durability);
        (folder, files)
    }

    fn names(files: &AttachmentFiles, folder: &str) -> Vec<String> {
        let mut names = names_in(&files.folder.join(folder)).expect("names");
        names.sort();
        names
    }

    #[test]
    fn a_file_is_complete_when_it_gets_its_name() {
        for durability in [Durability::Process, Durability::Power] {
            let (_folder, files) = files(durability);
            files.sweep(|_| false).expect("swept");
            assert!(!files.folder.exists(), "a folder that is not there is not made");

            let file = files.begin().expect("a file");
            file.append(b"0123").expect("written");
            file.append(b"456789").expect("written");
            file.sync().expect("synced");
            assert!(!files.has(&DIGEST, 10).expect("a look"));
            files.persist(&file, &DIGEST).expect("a name");
            drop(file);
            assert_eq!(names(&files, "ab"), ["ab".repeat(32)]);
            assert!(files.has(&DIGEST, 10).expect("a look"));
            assert!(!files.has(&DIGEST, 9).expect("a look"));
            assert_eq!(files.read(&DIGEST, 2, 3).expect("bytes"), b"234");
            assert!(files.read(&DIGEST, 8, 3).is_err());

            let cut = files.begin().expect("a file");
            fs::remove_file(&cut.path).expect("removed");
            assert!(cut.append(b"x").is_err(), "a file that was removed does not come back");
            drop(files.begin().expect("a file"));
            assert_eq!(names(&files, ""), ["ab"]);
        }
    }

    #[test]
    fn a_sweep_removes_temporary_files_and_unknown_contents() {
        let (_folder, files) = files(Durability::Process);
        files.persist(&files.begin().expect("a file"), &DIGEST).expect("a name");
        let left = files.begin().expect("a file");
        let orphan = "ab".to_owned() + &"cd".repeat(31);
        for other in ["notes", "ab/notes", &format!("ab/{orphan}"), &format!("ab/{}", "cd".repeat(32))] {
            fs::write(files.folder.join(other), "x").expect("written");
        }
        files.sweep(|digest| *digest == DIGEST).expect("swept");
        assert!(!left.path.exists());
        assert_eq!(names(&files, ""), ["ab", "notes"]);
        assert_eq!(names(&files, "ab"), ["ab".repeat(32), "cd".repeat(32), "notes".to_owned()]);
        files.sweep(|_| false).expect("swept");
        assert_eq!(names(&files, "ab"), ["cd".repeat(32), "notes".to_owned()]);
    }
}
