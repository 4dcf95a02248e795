//! Reads a file of text that a flag names (rule PRO-03).

use std::fs::{File, metadata};
use std::io::{Error, ErrorKind, Read};

use crate::contract::flags::MESSAGES;
use crate::platform::is_open_to_others;

/// Why a file has no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFault {
    Missing,
    Folder,
    Denied,
    NotText,
    Unreadable,
}

impl FileFault {
    /// Returns its message.
    pub(super) fn message(self) -> &'static str {
        match self {
            FileFault::Missing => MESSAGES.file_missing,
            FileFault::Folder => MESSAGES.file_folder,
            FileFault::Denied => MESSAGES.file_denied,
            FileFault::NotText => MESSAGES.file_not_text,
            FileFault::Unreadable => MESSAGES.file_unreadable,
        }
    }
}

/// The content of a file, and whether other users can access it.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) text: String,
    pub(super) is_open: bool,
}

/// Reads a file of UTF-8 text.
pub(super) fn read_text_file(path: &str) -> Result<TextFile, FileFault> {
    read(path).map_err(|error| file_fault(&error))
}

fn read(path: &str) -> std::io::Result<TextFile> {
    // Windows would report a folder as a file that this user may not open.
    if metadata(path)?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let mut file = File::open(path)?;
    let is_open = is_open_to_others(&file.metadata()?);
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(TextFile { text, is_open })
}

fn file_fault(error: &Error) -> FileFault {
    match error.kind() {
        ErrorKind::NotFound => FileFault::Missing,
        ErrorKind::IsADirectory => FileFault::Folder,
        ErrorKind::PermissionDenied => FileFault::Denied,
        ErrorKind::InvalidData => FileFault::NotText,
        _ => FileFault::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_user_has_its_own_message() {
        assert_eq!(file_fault(&ErrorKind::PermissionDenied.into()), FileFault::Denied);
        assert_eq!(file_fault(&ErrorKind::TimedOut.into()), FileFault::Unreadable);
    }
}
