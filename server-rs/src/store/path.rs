//! Resolves the symbolic links of `--db`, so that every name of the file leads to the same lock (rule STO-02).
//!
//! SQLite resolves symbolic links before it names the log. A lock under another path would let two servers write to
//! one file. Invariant: a path means what it means to the system, `..` behind a link too, and both servers accept the
//! same paths (rule STO-14).

use std::fs;
use std::path::{Path, PathBuf, is_separator};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::contract::LIMITS;
use crate::contract::flags::EXITS;
use crate::platform::{canonical_path, link_count, private_folder};
use crate::store::connection::OpenError;

/// Largest number of links to follow, as in Linux (`path_resolution(7)`).
const MOST_LINKS: usize = 40;

/// Returns the path without symbolic links; the file need not exist. Creates its folder (0700) if it is missing.
pub fn resolve_path(db: &Path) -> Result<PathBuf, OpenError> {
    check_name(db, db)?;
    let mut path = db.to_owned();
    let mut links = 0;
    // An error means that this is not a link: a file, or no file yet.
    while let Ok(destination) = fs::read_link(&path) {
        links += 1;
        if links > MOST_LINKS {
            return Err(OpenError::new(db, EXITS.database.unusable, &[("reason", "too_many_links")]));
        }
        path = folder_of(&path).join(destination);
        check_name(db, &path)?;
    }
    let folder = folder_of(&path);
    private_folder().recursive(true).create(folder).map_err(|error| OpenError::io(db, &error))?;
    let folder = canonical_path(folder).map_err(|error| OpenError::io(db, &error))?;
    check_file_path(db, folder.join(path.file_name().unwrap_or_default()))
}

/// Returns the path of an existing file without symbolic links.
pub fn existing_path(file: &Path) -> Result<PathBuf, OpenError> {
    let path = canonical_path(file).map_err(|_| OpenError::new(file, EXITS.database.missing, &[]))?;
    check_file_path(file, path)
}

/// Returns the path of a file to create, in an existing folder; `None` when no file can have this path.
pub fn new_path(file: &Path) -> Option<PathBuf> {
    check_name(file, file).ok()?;
    let path = canonical_path(folder_of(file)).ok()?.join(file.file_name()?);
    check_length(file, &path).ok()?;
    Some(path)
}

fn check_file_path(given: &Path, path: PathBuf) -> Result<PathBuf, OpenError> {
    check_name(given, &path)?;
    check_length(given, &path)?;
    // Opening the file reports any problem of the system.
    match fs::metadata(&path) {
        Ok(found) if found.is_dir() => Err(OpenError::new(given, EXITS.database.folder, &[])),
        Ok(found) if !found.is_file() => Err(OpenError::new(given, EXITS.database.not_a_file, &[])),
        _ => check_files_beside(&path).map(|()| path),
    }
}

/// Names of the files next to a database that a start opens, after the name of the database.
const BESIDE: [&str; 5] = [".lock", "-wal", "-shm", "-journal", ".attachments/state"];

/// Refuses a pipe or a device in place of a file next to the database, for which a start and a backup would wait.
pub fn check_files_beside(path: &Path) -> Result<(), OpenError> {
    for suffix in BESIDE {
        let file = sibling(path, suffix);
        if fs::metadata(&file).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(OpenError::new(&file, EXITS.database.not_a_file, &[]));
        }
    }
    Ok(())
}

/// Refuses a path that can only be a folder, such as `a/` and `a/..`, and a path that is not UTF-8. Node cannot represent
/// such a path: it reads each wrong byte as U+FFFD, which is another name.
fn check_name(given: &Path, path: &Path) -> Result<(), OpenError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if path.to_str().is_none_or(|text| text.contains(char::REPLACEMENT_CHARACTER)) {
        return Err(OpenError::new(given, EXITS.database.text, &[]));
    }
    match bytes.rsplit(|byte| is_separator(char::from(*byte))).next() {
        None | Some(b"" | b"." | b"..") => Err(OpenError::new(given, EXITS.database.folder, &[])),
        Some(_) => Ok(()),
    }
}

/// Refuses a path whose suffixes exceed a limit, 255 bytes for a name of the system and 512 for a path of SQLite.
fn check_length(given: &Path, path: &Path) -> Result<(), OpenError> {
    let (name, whole) = (LIMITS.database_name_bytes, LIMITS.database_path_bytes);
    let is_name_long = path.file_name().is_some_and(|text| text.len() > name);
    if is_name_long || path.as_os_str().len() > whole {
        let values = [("name", &*name.to_string()), ("whole", &*whole.to_string())];
        return Err(OpenError::new(given, EXITS.database.too_long, &values));
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a file with a second hard link: a server under that name would have another lock and another log.
pub fn check_links(path: &Path) -> Result<(), OpenError> {
    match link_count(path) {
        Some(count @ 2..) => {
            Err(OpenError::new(path, EXITS.database.linked, &[("count", &count.to_string())]))
        }
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
