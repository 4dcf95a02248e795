//! Makes random secrets, and the file of a new token (rule SEC-08).

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::platform::private_file;

/// Random bytes of a secret: 43 characters.
const SECRET_BYTES: usize = 32;

/// Returns a new secret of the system's random numbers.
pub fn random_secret() -> std::io::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Creates the file (0600) with a new token. It has its name only when it is whole. A file that exists stays as it is.
pub fn create_token(path: &str) -> std::io::Result<()> {
    let partial = Path::new(path).with_added_extension(format!("{}.partial", std::process::id()));
    let text = format!("{}\n", random_secret()?);
    private_file().open(&partial)?.write_all(text.as_bytes())?;
    // Unlike a rename, a link never replaces a file.
    let linked = fs::hard_link(&partial, path);
    drop(fs::remove_file(&partial));
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
