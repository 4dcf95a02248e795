//! Reads a file of text that a flag names (rule PRO-03).

use std::fs::{File, metadata};
use std::io::{Error, ErrorKind, Read};

use crate::platform::is_open_to_others;

/// The message for a file that does not exist.
pub(super) const FILE_MISSING: &str = "file_missing";

/// The content of a file, and whether other users can access it.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) text: String,
    pub(super) is_open: bool,
}

/// Reads a file of UTF-8 text; for a file that is none, returns the name of the message of `config.json`.
pub(super) fn read_text_file(path: &str) -> Result<TextFile, &'static str> {
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

fn file_fault(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::NotFound => FILE_MISSING,
        ErrorKind::IsADirectory => "file_folder",
        ErrorKind::PermissionDenied => "file_denied",
        ErrorKind::InvalidData => "file_not_text",
        _ => "file_unreadable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_user_has_its_own_message() {
        assert_eq!(file_fault(&ErrorKind::PermissionDenied.into()), "file_denied");
        assert_eq!(file_fault(&ErrorKind::TimedOut.into()), "file_unreadable");
    }
}
