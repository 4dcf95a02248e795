//! Describes a batch of standard input as it was sent, and where it stood (rule PRO-12).

use crate::error::Failure;

/// A batch of lines has at most this many bytes; a longer line is a batch of its own.
pub const BATCH_BYTES: usize = 256 * 1024;

/// Where a batch stood in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// These lines, counted from 1 over the whole input.
    Lines {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// This frame, counted from 1 over the whole input.
    Frame(u64),
}

/// A batch as it was sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Batch {
    /// A body in the format of the input.
    pub body: Vec<u8>,
    /// Where it stood.
    pub place: Place,
    /// Its lines that are too long, counted from 1; `body` has a line that is no JSON in their places.
    pub too_long: Vec<usize>,
}

/// A frame after which nothing can be read.
#[derive(Debug, PartialEq)]
pub struct Broken {
    /// The frame.
    pub place: Place,
    /// What is wrong with it.
    pub failure: Failure,
}
