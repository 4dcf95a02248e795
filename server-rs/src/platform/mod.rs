//! Offers what Unix and Windows do differently by the same names: permissions, identities of files, processes, signals.
//!
//! Invariant: no other module asks which system it is, except `http`, which has no Unix domain socket on Windows.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
