//! Copies a database with its attachments, also while a server uses it (rules BAK-01 to BAK-03).
//!
//! Invariant: the target has its name only when it is whole and synced. Until then it is `FILE.partial`, which the next
//! copy replaces.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::config::Durability;
use crate::digest::Digest;
use crate::error::ErrorCode;
use crate::platform::{open_to_sync, sync_folder};
use crate::queries;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::cluster::sequence_of;
use crate::store::connection::{OpenError, check_database, make_file};
use crate::store::failure::{file_code, store_code};
use crate::store::path::sibling;
use crate::store::query::each;

/// Whether clients may continue on the copy where they were on the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Epoch {
    /// The copy is a backup; no server gives out ids of it.
    Kept,
    /// A server will give out ids that the original may give to other events (rule BAK-02).
    New,
}

/// A finished copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Size of the database file.
    pub bytes: u64,
    /// The newest id that was ever assigned.
    pub newest_id: i64,
    /// Number of contents that were copied.
    pub attachments: u64,
    /// The newest sequence of the stream that the database is a copy of; `None` without a stream.
    pub sequence: Option<i64>,
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
    copy_into(&from, source, target, &partial, epoch).inspect_err(|_| {
        // The next copy would replace it.
        drop(fs::remove_file(&partial));
    })
}

fn copy_into(
    from: &Connection,
    source: &Path,
    target: &Path,
    partial: &Path,
    epoch: Epoch,
) -> Result<Copied, CopyError> {
    from.execute(queries::COPY_DATABASE, [partial.to_string_lossy()])?;
    let copy = Connection::open_with_flags(partial, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let attachments = copy_attachments(source, target, &copy)?;
    if epoch == Epoch::New {
        copy.execute(queries::UPDATE_EPOCH, [])?;
    }
    let newest_id = copy.query_row(queries::SELECT_LAST_EVENT_ID, [], |row| row.get(0))?;
    let sequence = sequence_of(&copy)?;
    drop(copy);
    Ok(Copied { bytes: finish_file(target)?, newest_id, attachments, sequence })
}

/// Opens a database that a server may be using, without a change to the file.
pub fn open_source(path: &Path) -> Result<Connection, OpenError> {
    check_database(path)?;
    let open = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.execute_batch("PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF")?;
        Ok(connection)
    };
    open().map_err(|error| OpenError::sqlite(path, &error))
}

/// Creates the file that becomes `target`; returns its path until then.
pub fn begin_file(target: &Path) -> Result<std::path::PathBuf, CopyError> {
    if target.symlink_metadata().is_ok() {
        return Err(CopyError::Exists);
    }
    let partial = sibling(target, ".partial");
    for suffix in ["", "-journal", "-wal", "-shm"] {
        match fs::remove_file(sibling(&partial, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    make_file(&partial).map_err(|_| CopyError::Failed(ErrorCode::ReadOnly))?;
    Ok(partial)
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
fn copy_attachments(source: &Path, target: &Path, copy: &Connection) -> Result<u64, CopyError> {
    let from = AttachmentFiles::new(source, Durability::Process);
    let to = AttachmentFiles::new(target, Durability::Power);
    let mut files: Vec<(Digest, u64)> = Vec::new();
    each(copy, queries::SELECT_ATTACHMENT_FILES, [], |row| {
        files.push((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()));
        Ok(())
    })?;
    let mut copied = 0;
    for (digest, size) in files {
        if from.copy_to(&to, &digest, size)? {
            copied += 1;
        } else {
            copy.execute(queries::DELETE_ATTACHMENT_REFERENCES, [digest])?;
        }
    }
    Ok(copied)
}
