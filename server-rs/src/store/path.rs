//! Finds the file that `--db` names, without symbolic links, so that every name of it leads to the same lock (rule
//! STO-02).
//!
//! SQLite resolves symbolic links before it names the log. A lock that is named by another path would let two servers
//! write to one file.

use std::fs::{self, DirBuilder};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::connection::OpenError;

/// As many as Linux follows (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// The path without symbolic links, whether the file exists or not. Makes its folder (0700) where it is missing.
pub fn resolve_path(db: &Path) -> Result<PathBuf, OpenError> {
    resolve(db).map_err(|error| OpenError::io(db, &error))
}

fn resolve(db: &Path) -> std::io::Result<PathBuf> {
    let mut path = db.to_owned();
    let mut links = 0;
    // An error says that this is no link: a file, or nothing yet.
    while let Ok(target) = fs::read_link(&path) {
        links += 1;
        if links > MOST_LINKS {
            return Err(Error::from(ErrorKind::InvalidInput));
        }
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    Ok(folder.canonicalize()?.join(name))
}

/// Refuses a file with a second name: a server on that name would have another lock and another log.
pub fn check_links(path: &Path) -> Result<(), OpenError> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() && file.nlink() > 1 => {
            Err(OpenError::new(path, "linked", &[("count", &file.nlink().to_string())]))
        }
        // Whatever else is wrong with it is found when it is opened.
        _ => Ok(()),
    }
}

/// The path of a file in a new folder that only this user can look into (`--db :memory:`).
pub fn private_path() -> Result<PathBuf, OpenError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("ingest-{}-{}", std::process::id(), since.as_nanos()));
    let path = folder.join("events.db");
    DirBuilder::new().mode(0o700).create(&folder).map_err(|error| OpenError::io(&path, &error))?;
    Ok(path)
}
