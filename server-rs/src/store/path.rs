//! Resolves the symbolic links of `--db`, so that every name of the file leads to the same lock (rule STO-02).
//!
//! SQLite resolves symbolic links before it names the log. A lock under another path would let two servers write to
//! one file.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::platform::{canonical_path, link_count, private_folder};
use crate::store::connection::OpenError;

/// Largest number of links to follow, as in Linux (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// Returns the path without symbolic links; the file need not exist. Creates its folder (0700) if it is missing.
pub fn resolve_path(db: &Path) -> Result<PathBuf, OpenError> {
    resolve(db).map_err(|error| OpenError::io(db, &error))
}

fn resolve(db: &Path) -> std::io::Result<PathBuf> {
    let mut path = db.to_owned();
    let mut links = 0;
    // An error means that this is not a link: a file, or no file yet.
    while let Ok(destination) = fs::read_link(&path) {
        links += 1;
        if links > MOST_LINKS {
            return Err(Error::from(ErrorKind::InvalidInput));
        }
        path = path.parent().unwrap_or(Path::new("")).join(destination);
    }
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    private_folder().recursive(true).create(folder)?;
    Ok(canonical_path(folder)?.join(name))
}

/// Refuses a file with a second hard link: a server under that name would have another lock and another log.
pub fn check_links(path: &Path) -> Result<(), OpenError> {
    match link_count(path) {
        Some(count @ 2..) => Err(OpenError::new(path, "linked", &[("count", &count.to_string())])),
        // Opening the file reports any other problem.
        _ => Ok(()),
    }
}

/// Returns the path of a file next to the database: the database's name plus a suffix.
pub(super) fn sibling(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the path of a file in a new folder that only this user can access (`--db :memory:`).
pub fn private_path() -> Result<PathBuf, OpenError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("ingest-{}-{}", std::process::id(), since.as_nanos()));
    let path = folder.join("events.db");
    private_folder().create(&folder).map_err(|error| OpenError::io(&path, &error))?;
    Ok(path)
}
