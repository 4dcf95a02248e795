//! Describes a batch of standard input and its place (rule PRO-12).

use crate::error::Failure;

/// Largest size of a batch of lines; a longer line is a batch of its own.
pub const BATCH_BYTES: usize = 256 * 1024;

/// The place of a batch in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line numbers, counted from 1 over the whole input.
    Lines {
        /// Number of the first line.
        first: u64,
        /// Number of the last line.
        last: u64,
    },
    /// Frame number, counted from 1 over the whole input.
    Frame(u64),
}

/// A batch as sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Batch {
    /// A body in the format of the input.
    pub body: Vec<u8>,
    /// Its place in the input.
    pub place: Place,
    /// Its lines that are too long, counted from 1. `body` has a line that is not JSON in their places.
    pub too_long: Vec<usize>,
}

/// A malformed frame, which ends the input.
#[derive(Debug, PartialEq)]
pub struct Broken {
    /// The place of the frame.
    pub place: Place,
    /// The problem of the frame.
    pub failure: Failure,
}
