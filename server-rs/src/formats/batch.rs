//! Describes the events of a batch before they are checked (rule ING-09).

use std::ops::Range;

use crate::event::RawEvent;

/// The events of a batch, before validation.
#[derive(Debug, Default)]
pub struct RawBatch {
    /// The text that their spans refer to.
    pub body: String,
    /// The first events, at most the requested number.
    pub events: Vec<RawEvent>,
    /// Number of events, including those that are not kept.
    pub count: usize,
    /// The line of each event, from 1; empty for a format without lines.
    pub lines: Vec<usize>,
}

/// Places of a batch's events in a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The first events, at most the requested number.
    pub events: Vec<Range<usize>>,
    /// Number of events, including those that are not kept.
    pub count: usize,
}
