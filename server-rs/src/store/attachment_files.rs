//! Keeps the bytes of attachments in a folder next to the database, each content in a file named by its SHA-256 (rule
//! ATT-09).
//!
//! Invariants: a file in that folder under a final name is always complete, since the name comes from a rename. No
//! descriptor stays open between two reads or writes, so attachments never compete with connections for descriptors
//! (rule HTT-12). Knows nothing of rows. Over 250 lines because every change of the folder is here.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::Handle;

use crate::config::Durability;
use crate::contract::LIMITS;
use crate::digest::{Digest, digest_hex, parse_digest};
use crate::platform;
use crate::store::attachment_folder::{
    ASIDE, FolderOwner, FolderState, Orphan, PARTIAL_STATE, STATE, is_absent, move_aside,
};
use crate::store::path::sibling;

/// Prefix of temporary file names.
const TEMPORARY: &str = "upload-";

/// Returns the bytes that a file of `size` bytes takes on disk: whole blocks (rule ATT-04).
pub fn disk_bytes(size: u64) -> u64 {
    size.div_ceil(LIMITS.attachment_block_bytes).saturating_mul(LIMITS.attachment_block_bytes)
}

/// What a start moved out of the folder, because another or a newer database may need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedAside {
    /// Number of files.
    pub files: u64,
    /// Where they are.
    pub folder: PathBuf,
}

/// The folder of a database's attachments, created with the first one.
#[derive(Debug)]
pub struct AttachmentFiles {
    folder: PathBuf,
    /// The database whose id a new folder gets; `None` for a reader.
    owner: Option<FolderOwner>,
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
        Self { folder: sibling(db, ".attachments"), owner: None, is_synced, next: AtomicU64::new(1) }
    }

    /// Takes the folder for the server of this database. A folder of another one is moved aside, and so is a link to it.
    pub fn claim(&mut self, owner: &FolderOwner) -> Result<Option<MovedAside>> {
        self.owner = Some(owner.clone());
        // A kill between the last two steps of a copy leaves the first name.
        let found = match FolderState::read(&self.folder, STATE)? {
            None => FolderState::read(&self.folder, PARTIAL_STATE)?,
            found => found,
        };
        if found.is_none_or(|state| state.id == owner.id) {
            return self.name_state().map(|()| None);
        }
        let files = self.contents()?.len() as u64;
        let folder = move_aside(&self.folder)?;
        Ok(Some(MovedAside { files, folder }))
    }

    /// Prepares the folder of a database that a command creates. Removes what an earlier try left, and moves anything
    /// else aside; returns its new path.
    pub fn begin_copy(&self) -> Result<Option<PathBuf>> {
        self.remove_copy()?;
        match fs::read_dir(&self.folder).map(|mut entries| entries.next().is_none()) {
            // Nothing is there, or only an empty folder.
            Ok(true) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Ok(false) | Err(_) => move_aside(&self.folder).map(Some),
        }
    }

    /// Creates the folder for the first content of a database that a command creates.
    pub fn begin_contents(&self, owner: &FolderOwner) -> Result<()> {
        self.make_folder(&self.folder)?;
        owner.settled().write(&self.folder, PARTIAL_STATE)
    }

    /// Completes the folder of a database that has its name.
    pub fn finish_copy(&self) -> Result<()> {
        self.name_state()?;
        if self.folder.exists() { self.sync_folder(&self.folder) } else { Ok(()) }
    }

    /// Removes the folder of a database that a command did not finish, and nothing of any other folder.
    pub fn remove_copy(&self) -> Result<()> {
        let partial = self.folder.join(PARTIAL_STATE);
        if partial.exists() && !self.folder.join(STATE).exists() {
            for path in self.uploads()?.into_iter().chain(self.contents()?.into_iter().map(|(path, _)| path))
            {
                fs::remove_file(path)?;
            }
            for name in names_in(&self.folder)?.iter().filter(|name| name.len() == 2) {
                // A file of another program keeps its folder.
                drop(fs::remove_dir(self.folder.join(name)));
            }
            fs::remove_file(partial)?;
        }
        // Only an empty folder goes, and no link.
        drop(fs::remove_dir(&self.folder));
        Ok(())
    }

    /// Creates an empty temporary file.
    pub fn begin(&self) -> Result<TemporaryFile> {
        if self.make_folder(&self.folder)?
            && let Some(owner) = &self.owner
        {
            owner.settled().write(&self.folder, STATE)?;
        }
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let path = self.folder.join(format!("{TEMPORARY}{number}"));
            match platform::private_file().open(&path) {
                // Another program, or a start that could prove nothing, left it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|_| TemporaryFile { path, is_synced: self.is_synced }),
            }
        }
    }

    /// Records a new content before it gets its name, and before the commit of its row.
    pub fn note(&self, state: &FolderState) -> Result<()> {
        match state.write(&self.folder, STATE) {
            // There is no content either.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            written => written,
        }
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

    /// Removes temporary files, and contents whose rows the database has deleted. Moves unknown contents aside that may be
    /// those of a newer state of the database, and takes back those that the database knows. Files with other names
    /// belong to other programs and stay.
    pub fn sweep(
        &self,
        owner: &FolderOwner,
        is_known: impl Fn(&Digest) -> bool,
    ) -> Result<Option<MovedAside>> {
        let state = FolderState::read(&self.folder, STATE)?;
        let aside = self.folder.join(ASIDE);
        if state.is_some() {
            for path in self.uploads()? {
                fs::remove_file(path)?;
            }
        }
        let mut files = 0;
        for (path, digest) in self.contents()?.into_iter().filter(|(_, digest)| !is_known(digest)) {
            if state.as_ref().map(|state| state.decide(owner, &digest)) == Some(Orphan::Removed) {
                fs::remove_file(path)?;
            } else {
                self.make_folder(&aside)?;
                fs::rename(path, aside.join(digest_hex(&digest)))?;
                files += 1;
            }
        }
        for name in names_in(&aside)? {
            let Some(digest) = parse_digest(&name).filter(|digest| is_known(digest)) else { continue };
            let path = self.path_of(&digest);
            if !path.exists() {
                self.make_folder(path.parent().unwrap_or(&self.folder))?;
                fs::rename(aside.join(name), path)?;
            }
        }
        // Every content that is left is one of this database.
        self.note(&owner.settled())?;
        Ok((files > 0).then_some(MovedAside { files, folder: aside }))
    }

    /// Returns the paths of the temporary files.
    fn uploads(&self) -> Result<Vec<PathBuf>> {
        let names = names_in(&self.folder)?.into_iter().filter(|name| name.starts_with(TEMPORARY));
        Ok(names.map(|name| self.folder.join(name)).collect())
    }

    /// Returns the contents, with their paths.
    fn contents(&self) -> Result<Vec<(PathBuf, Digest)>> {
        let mut contents = Vec::new();
        for name in names_in(&self.folder)?.into_iter().filter(|name| name.len() == 2) {
            let folder = self.folder.join(&name);
            if folder.is_dir() {
                let files = names_in(&folder)?.into_iter().filter(|file| file.starts_with(&name));
                contents.extend(files.filter_map(|file| Some((folder.join(&file), parse_digest(&file)?))));
            }
        }
        Ok(contents)
    }

    /// Gives the state of a copy its name, if the folder is one.
    fn name_state(&self) -> Result<()> {
        match fs::rename(self.folder.join(PARTIAL_STATE), self.folder.join(STATE)) {
            Err(error) if !is_absent(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn path_of(&self, digest: &Digest) -> PathBuf {
        let name = digest_hex(digest);
        self.folder.join(&name[..2]).join(name)
    }

    /// Creates a folder; returns whether it is new.
    fn make_folder(&self, folder: &Path) -> Result<bool> {
        match platform::private_folder().create(folder) {
            Ok(()) => self.sync_folder(folder.parent().unwrap_or(folder)).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
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
        let mut files = AttachmentFiles::new(&folder.path().join("events.db"), durability);
        assert_eq!(files.claim(&owner()).expect("a claim"), None);
        (folder, files)
    }

    fn owner() -> FolderOwner {
        FolderOwner { id: "id".to_owned(), token: "token".to_owned() }
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
            files.sweep(&owner(), |_| false).expect("swept");
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
            assert_eq!(names(&files, ""), ["ab", "state"]);
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
        files.sweep(&owner(), |digest| *digest == DIGEST).expect("swept");
        assert!(!left.path.exists());
        assert_eq!(names(&files, ""), ["ab", "notes", "state"]);
        assert_eq!(names(&files, "ab"), ["ab".repeat(32), "cd".repeat(32), "notes".to_owned()]);
        files.sweep(&owner(), |_| false).expect("swept");
        assert_eq!(names(&files, "ab"), ["cd".repeat(32), "notes".to_owned()]);
    }

    #[test]
    fn a_newer_content_goes_aside_and_comes_back_with_its_row() {
        let (folder, mut files) = files(Durability::Process);
        let file = files.begin().expect("a file");
        files.note(&owner().with_content(&DIGEST)).expect("a note");
        files.persist(&file, &DIGEST).expect("a name");
        let aside = MovedAside { files: 1, folder: files.folder.join(ASIDE) };
        assert_eq!(files.sweep(&owner(), |_| false).expect("swept"), Some(aside));
        assert!(!files.has(&DIGEST, 0).expect("a look"));
        assert_eq!(files.sweep(&owner(), |_| true).expect("swept"), None);
        assert!(files.has(&DIGEST, 0).expect("a look"));

        let other = FolderOwner { id: "other".to_owned(), ..owner() };
        let aside = folder.path().join("events.db.attachments.aside-1");
        let moved = MovedAside { files: 1, folder: aside.clone() };
        assert_eq!(files.claim(&other).expect("a claim"), Some(moved));
        assert!(!files.folder.exists());
        assert!(aside.join(STATE).exists());
    }

    #[test]
    fn a_copy_that_does_not_end_leaves_nothing_and_takes_nothing_of_another_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = AttachmentFiles::new(&folder.path().join("events.db"), Durability::Process);
        let fill = |files: &AttachmentFiles| {
            files.begin_contents(&owner()).expect("begun");
            files.persist(&files.begin().expect("a file"), &DIGEST).expect("a name");
            std::mem::forget(files.begin().expect("a file"));
        };
        assert_eq!(files.begin_copy().expect("begun"), None);
        fill(&files);
        assert_eq!(files.begin_copy().expect("begun"), None);
        assert_eq!(names_in(folder.path()).expect("names"), Vec::<String>::new());
        fill(&files);
        // A kill comes after the database has its name: the start completes the folder.
        assert_eq!(files.claim(&owner()).expect("a claim"), None);
        assert!(!files.folder.join(PARTIAL_STATE).exists());
        files.finish_copy().expect("finished");
        files.remove_copy().expect("nothing to remove");
        assert!(files.has(&DIGEST, 0).expect("a look"));
        let aside = folder.path().join("events.db.attachments.aside-1");
        assert_eq!(files.begin_copy().expect("begun"), Some(aside));
        assert_eq!(names_in(folder.path()).expect("names"), ["events.db.attachments.aside-1"]);
    }
}
