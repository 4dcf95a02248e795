//! Splits standard input into batches by the framing of its format (rule PRO-12).

use crate::config::Config;
use crate::formats::Format;
use crate::input::batch::{Batch, Broken};
use crate::input::frames::Frames;
use crate::input::lines::Lines;

/// Received bytes that are not taken yet.
#[derive(Debug)]
pub(super) enum Framing {
    Lines(Lines),
    Frames(Frames),
}

/// Returns lines for NDJSON, frames for the binary formats.
pub(super) fn framing_of(format: Format, config: &Config) -> Framing {
    if format == Format::Ndjson {
        Framing::Lines(Lines::new(config.max_batch_events, config.max_body_bytes))
    } else {
        Framing::Frames(Frames::new(config.max_body_bytes))
    }
}

impl Framing {
    /// Adds received bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Lines(lines) => lines.push(bytes),
            Self::Frames(frames) => frames.push(bytes),
        }
    }

    /// Returns an upper bound for the size of the next batch; `None` before it is complete.
    pub(super) fn ready(&self) -> Option<usize> {
        match self {
            Self::Lines(lines) => lines.ready(),
            Self::Frames(frames) => frames.ready(),
        }
    }

    /// Takes the next batch if it is complete.
    pub(super) fn take(&mut self) -> Result<Option<Batch>, Broken> {
        match self {
            Self::Lines(lines) => Ok(lines.take()),
            Self::Frames(frames) => frames.take(),
        }
    }

    /// Marks the end of the input.
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
