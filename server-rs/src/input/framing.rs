//! Finds batches in standard input, whichever way its format frames them (rule PRO-12).

use crate::config::Config;
use crate::formats::Format;
use crate::input::batch::{Batch, Broken};
use crate::input::frames::Frames;
use crate::input::lines::Lines;

/// What came and was not taken yet.
#[derive(Debug)]
pub(super) enum Framing {
    Lines(Lines),
    Frames(Frames),
}

/// Lines in NDJSON, frames in the binary formats.
pub(super) fn framing_of(format: Format, config: &Config) -> Framing {
    if format == Format::Ndjson {
        Framing::Lines(Lines::new(config.max_batch_events, config.max_body_bytes))
    } else {
        Framing::Frames(Frames::new(config.max_body_bytes))
    }
}

impl Framing {
    /// Takes in what was read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Lines(lines) => lines.push(bytes),
            Self::Frames(frames) => frames.push(bytes),
        }
    }

    /// How many bytes the next batch has at most; `None` before it has come whole.
    pub(super) fn ready(&self) -> Option<usize> {
        match self {
            Self::Lines(lines) => lines.ready(),
            Self::Frames(frames) => frames.ready(),
        }
    }

    /// The next batch, if one has come whole.
    pub(super) fn take(&mut self) -> Result<Option<Batch>, Broken> {
        match self {
            Self::Lines(lines) => Ok(lines.take()),
            Self::Frames(frames) => frames.take(),
        }
    }

    /// No more bytes come.
    pub(super) fn end(&mut self) -> Result<(), Broken> {
        match self {
            Self::Lines(lines) => {
                lines.end();
                Ok(())
            }
            Self::Frames(frames) => frames.end(),
        }
    }
}
