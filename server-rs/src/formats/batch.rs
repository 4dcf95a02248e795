//! Describes the events of a batch before they are checked (rule ING-09).

use std::ops::Range;

use crate::event::RawEvent;

/// The events of a batch, unchecked.
#[derive(Debug, Default)]
pub struct RawBatch {
    /// The text that their spans lie in.
    pub body: String,
    /// The first ones, as many as were asked for.
    pub events: Vec<RawEvent>,
    /// How many there are.
    pub count: usize,
    /// The line of each, counted from 1; empty where the format has no lines.
    pub lines: Vec<usize>,
}

/// Where the events of a batch lie in a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The first ones, as many as were asked for.
    pub events: Vec<Range<usize>>,
    /// How many there are.
    pub count: usize,
}
