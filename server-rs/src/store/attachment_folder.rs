//! Proves which files of a folder of attachments its database may remove (rule ATT-11).
//!
//! The file `state` names the database, and the newest new content before its row. `meta` of the database has the same
//! id, and a hash of all new contents: the token. So a start recognises the folder of another database, and a database
//! that is older than its folder. Knows nothing of rows.

use std::fs::{self, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::digest::{Digest, digest_hex};
use crate::platform;
use crate::store::path::sibling;

/// Name of the file that holds the state.
pub const STATE: &str = "state";
/// Its name while a command creates the database.
pub const PARTIAL_STATE: &str = "state.partial";
/// Name of the folder of contents that may belong to a newer database.
pub const ASIDE: &str = "aside";

/// What `meta` says of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderOwner {
    /// A UUID that copies keep.
    pub id: String,
    /// The hash of all new contents so far, in hexadecimal.
    pub token: String,
}

/// The state of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderState {
    /// The id of the database.
    pub id: String,
    /// The token before the newest new content.
    pub before: String,
    /// The token with it.
    pub token: String,
    /// The SHA-256 of the newest new content, in hexadecimal; zeros without one.
    pub content: String,
}

/// What a start does with a content that no row refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orphan {
    /// The database has had its row, and deleted it.
    Removed,
    /// A newer state of the database may have its row.
    Kept,
}

impl FolderOwner {
    /// Returns the state of the folder before a new content gets its name.
    pub fn with_content(&self, digest: &Digest) -> FolderState {
        let mut hash = Sha256::new_with_prefix(&self.token);
        hash.update(digest);
        FolderState {
            id: self.id.clone(),
            before: self.token.clone(),
            token: digest_hex(&hash.finalize().into()),
            content: digest_hex(digest),
        }
    }

    /// Returns the state of the folder when every content in it is one that the database has seen.
    pub fn settled(&self) -> FolderState {
        let Self { id, token } = self;
        FolderState { id: id.clone(), before: token.clone(), token: token.clone(), content: "0".repeat(64) }
    }
}

impl FolderState {
    /// Reads the state of a folder; `None` without a complete one.
    pub fn read(folder: &Path, name: &str) -> Result<Option<Self>> {
        let text = match fs::read_to_string(folder.join(name)) {
            Ok(text) => text,
            Err(error) if is_absent(&error) || error.kind() == ErrorKind::InvalidData => return Ok(None),
            Err(error) => return Err(error),
        };
        let parts: Vec<&str> = text.strip_suffix('\n').unwrap_or_default().split(' ').collect();
        let [id, before, token, content] = parts[..] else { return Ok(None) };
        let [id, before, token, content] = [id, before, token, content].map(ToOwned::to_owned);
        Ok(Some(Self { id, before, token, content }))
    }

    /// Writes the state, which has the same length for every database, in one piece. So a kill leaves either state.
    pub fn write(&self, folder: &Path, name: &str) -> Result<()> {
        let Self { id, before, token, content } = self;
        let mut options: OpenOptions = platform::private_file();
        let mut file = options.create_new(false).create(true).open(folder.join(name))?;
        file.write_all(format!("{id} {before} {token} {content}\n").as_bytes())
    }

    /// Decides about a content that no row of the database refers to.
    pub fn decide(&self, owner: &FolderOwner, digest: &Digest) -> Orphan {
        let is_seen =
            self.token == owner.token || (self.before == owner.token && self.content != digest_hex(digest));
        if self.id == owner.id && is_seen { Orphan::Removed } else { Orphan::Kept }
    }
}

/// Returns whether a file is missing because its folder is.
pub fn is_absent(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Gives the folder of attachments at `folder`, or the link to it, the first free name `FOLDER.aside-N`; returns its path.
pub fn move_aside(folder: &Path) -> Result<PathBuf> {
    let mut number = 1;
    loop {
        let aside = sibling(folder, &format!(".{ASIDE}-{number}"));
        if aside.symlink_metadata().is_err() {
            fs::rename(folder, &aside)?;
            return Ok(aside);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(token: &str) -> FolderOwner {
        FolderOwner { id: "id".to_owned(), token: token.to_owned() }
    }

    #[test]
    fn a_state_reads_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let read = || FolderState::read(folder.path(), STATE).expect("a look");
        assert_eq!(read(), None);
        for state in [owner("a").settled(), owner("a").with_content(&[7; 32])] {
            state.write(folder.path(), STATE).expect("written");
            assert_eq!(read(), Some(state));
        }
        for cut in ["", "id", "id a b", "id a b c", "\u{0}\n"] {
            fs::write(folder.path().join(STATE), cut).expect("written");
            assert_eq!(read(), None, "{cut:?}");
        }
    }

    #[test]
    fn only_a_content_that_the_database_has_seen_is_removed() {
        let (new, old) = ([1; 32], [2; 32]);
        let before = owner("a");
        let state = before.with_content(&new);
        let after = owner(&state.token);
        let other = FolderOwner { id: "other".to_owned(), ..after.clone() };
        let older = owner("z");
        for (who, of_new, of_old) in [
            (&after, Orphan::Removed, Orphan::Removed),
            (&before, Orphan::Kept, Orphan::Removed),
            (&older, Orphan::Kept, Orphan::Kept),
            (&other, Orphan::Kept, Orphan::Kept),
        ] {
            assert_eq!(state.decide(who, &new), of_new, "{who:?}");
            assert_eq!(state.decide(who, &old), of_old, "{who:?}");
        }
        assert_eq!(before.settled().decide(&before, &new), Orphan::Removed);
        assert_eq!(before.settled().decide(&after, &new), Orphan::Kept);
    }
}
