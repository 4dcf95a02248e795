//! Copies a database with its attachments, also while a server uses it (rules BAK-01 to BAK-03).
//!
//! Invariant: the target has its name only when it is whole and synced. Until then it is `FILE.partial`, and the state of
//! its folder says so. The next copy replaces both, and a copy that fails removes both.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::config::Durability;
use crate::digest::Digest;
use crate::error::ErrorCode;
use crate::platform::{open_to_sync, sync_folder};
use crate::queries;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::attachments::folder_owner;
use crate::store::cluster::sequence_of;
use crate::store::connection::{OpenError, check_database, make_file, open_unchanged};
use crate::store::failure::{file_code, store_code};
use crate::store::path::{check_files_beside, sibling};
use crate::store::query::each;
use crate::store::sealed_texts::add_sealed_text_functions;
use crate::store::whole_texts::add_whole_text_functions;

/// Whether clients may continue on the copy where they were on the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    /// The copy is a backup; no server gives out ids of it.
    Kept,
    /// A server will give out ids that the original may give to other events (rule BAK-02).
    New,
}

/// A finished copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Size of the database file.
    pub bytes: u64,
    /// The newest id that was ever assigned.
    pub newest_id: i64,
    /// Number of contents that were copied.
    pub attachments: u64,
    /// The newest sequence of the stream that the database is a copy of; `None` without a stream.
    pub sequence: Option<i64>,
    /// The new path of another folder of attachments that was in the place of the target's.
    pub moved: Option<PathBuf>,
}

/// The reason why there is no copy.
#[derive(Debug, PartialEq, Eq)]
pub enum CopyError {
    /// The source is no usable database.
    Source(OpenError),
    /// The target exists.
    Exists,
    /// Reading or writing failed.
    Failed(ErrorCode),
}

impl From<rusqlite::Error> for CopyError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(store_code(&error))
    }
}

impl From<std::io::Error> for CopyError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(file_code(&error))
    }
}

/// Copies the database at `source` to `target`, which must not exist. Blocks.
///
/// One read transaction makes the copy, so the source's log grows until it ends. A content that a deletion removed
/// meanwhile loses its references in the copy.
pub fn copy_database(source: &Path, target: &Path, epoch: Epoch) -> Result<Copied, CopyError> {
    let from = open_source(source).map_err(CopyError::Source)?;
    let partial = begin_file(target)?;
    copy_into(&from, source, target, &partial, epoch).inspect_err(|_| abandon_copy(target))
}

fn copy_into(
    from: &Connection,
    source: &Path,
    target: &Path,
    partial: &Path,
    epoch: Epoch,
) -> Result<Copied, CopyError> {
    let to = AttachmentFiles::new(target, Durability::Power);
    from.execute(queries::COPY_DATABASE, [partial.to_string_lossy()])?;
    let copy = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let moved = to.begin_copy()?;
    let attachments = copy_attachments(source, &to, &copy)?;
    if epoch == Epoch::New {
        copy.execute(queries::UPDATE_EPOCH, [])?;
    }
    let newest_id = copy.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0))?;
    let sequence = sequence_of(&copy)?;
    drop(copy);
    let bytes = finish_file(target)?;
    to.finish_copy()?;
    Ok(Copied { bytes, newest_id, attachments, sequence, moved })
}

/// Opens a database that a server may be using, without a change to the file.
pub fn open_source(path: &Path) -> Result<Connection, OpenError> {
    check_files_beside(path)?;
    check_database(path)?;
    let open = || {
        let connection = open_unchanged(path)?;
        connection.execute_batch("PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF")?;
        add_sealed_text_functions(&connection)?;
        add_whole_text_functions(&connection)?;
        Ok(connection)
    };
    open().map_err(|error| OpenError::sqlite(path, &error))
}

/// Creates the file that becomes `target`; returns its path until then.
pub fn begin_file(target: &Path) -> Result<PathBuf, CopyError> {
    if target.symlink_metadata().is_ok() {
        return Err(CopyError::Exists);
    }
    remove_partial(target)?;
    let partial = sibling(target, ".partial");
    make_file(&partial).map_err(|_| CopyError::Failed(ErrorCode::ReadOnly))?;
    Ok(partial)
}

/// Removes what an earlier try to create `target` left of its file.
pub(super) fn remove_partial(target: &Path) -> std::io::Result<()> {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        match fs::remove_file(sibling(&sibling(target, ".partial"), suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Removes what a command has written of a database that it could not finish.
pub fn abandon_copy(target: &Path) {
    // The next try removes what is left. A database that has its name is whole.
    drop(remove_partial(target));
    if target.symlink_metadata().is_err() {
        drop(AttachmentFiles::new(target, Durability::Process).remove_copy());
    }
}

/// Syncs the file of [`begin_file`], and gives it its name; returns its size.
pub fn finish_file(target: &Path) -> Result<u64, CopyError> {
    let partial = sibling(target, ".partial");
    let file = open_to_sync(&partial)?;
    file.sync_all()?;
    fs::rename(&partial, target)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))?;
    Ok(file.metadata()?.len())
}

/// Copies the contents that the copy refers to; returns their number.
fn copy_attachments(source: &Path, to: &AttachmentFiles, copy: &Connection) -> Result<u64, CopyError> {
    let from = AttachmentFiles::new(source, Durability::Process);
    let mut files: Vec<(Digest, u64)> = Vec::new();
    each(copy, queries::SELECT_ATTACHMENT_FILES, [], |row| {
        files.push((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
        Ok(())
    })?;
    if !files.is_empty() {
        to.begin_contents(&folder_owner(copy)?)?;
    }
    let mut copied = 0;
    for (digest, size) in files {
        if from.copy_to(to, &digest, size)? {
            copied += 1;
        } else {
            copy.execute(queries::DELETE_ATTACHMENT_REFERENCES, [digest])?;
        }
    }
    Ok(copied)
}
