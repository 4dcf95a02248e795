//! Makes backups in a folder next to the database when a client asks for one (rule BAK-07).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use crate::config::Durability;
use crate::error::ErrorCode;
use crate::platform::private_folder;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::copy::{Copied, CopyError, Epoch, copy_database, remove_partial};
use crate::store::failure::file_code;
use crate::store::path::sibling;
use crate::timestamp::format_timestamp;

/// A finished backup.
#[derive(Debug)]
#[expect(missing_docs, reason = "said above")]
pub struct Backup {
    pub file: PathBuf,
    pub copied: Copied,
}

/// The backups of a database, one at a time.
#[derive(Debug)]
pub struct Backups {
    database: PathBuf,
    folder: PathBuf,
    is_running: Arc<AtomicBool>,
}

impl Backups {
    /// Returns the backups of the database at `path`.
    pub fn new(path: &Path) -> Self {
        let is_running = Arc::new(AtomicBool::new(false));
        Self { database: path.to_owned(), folder: sibling(path, ".backups"), is_running }
    }

    /// Makes a backup with this time (Unix milliseconds) in its name. A thread of its own copies, which the end of the
    /// process stops.
    pub async fn make_backup(&self, now_ms: i64) -> Result<Backup, ErrorCode> {
        if self.is_running.swap(true, Ordering::AcqRel) {
            return Err(ErrorCode::BackupRunning);
        }
        let (done, made) = oneshot::channel();
        let (database, folder, is_running) =
            (self.database.clone(), self.folder.clone(), Arc::clone(&self.is_running));
        let name = format!("{}.db", format_timestamp(now_ms).replace(':', ""));
        let thread = std::thread::Builder::new().name("backup".to_owned()).spawn(move || {
            let backup = copy_into(&database, &folder, &name);
            is_running.store(false, Ordering::Release);
            // The client may be gone; the backup stays.
            drop(done.send(backup));
        });
        if thread.is_err() {
            self.is_running.store(false, Ordering::Release);
        }
        made.await.unwrap_or(Err(ErrorCode::StorageError))
    }
}

fn copy_into(database: &Path, folder: &Path, name: &str) -> Result<Backup, ErrorCode> {
    let prepared = private_folder().recursive(true).create(folder);
    prepared.and_then(|()| remove_leftovers(folder)).map_err(|error| file_code(&error))?;
    let file = folder.join(name);
    match copy_database(database, &file, Epoch::Kept) {
        Ok(copied) => Ok(Backup { file, copied }),
        Err(CopyError::Failed(code)) => Err(code),
        Err(CopyError::Source(_) | CopyError::Exists) => Err(ErrorCode::StorageError),
    }
}

/// Removes what killed servers left: partial files, and the folders of databases that never had their names.
fn remove_leftovers(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some((database, _)) = name.to_str().and_then(|name| name.split_once(".db.")) else { continue };
        let target = folder.join(format!("{database}.db"));
        remove_partial(&target)?;
        if target.symlink_metadata().is_err() {
            AttachmentFiles::new(&target, Durability::Process).remove_copy()?;
        }
    }
    Ok(())
}
