//! Walks through a value of MessagePack without decoding it (rule FMT-04).
//!
//! Invariant: everything before the walker's position is well-formed. The walker allocates nothing, whatever the body
//! declares.

use rmp::Marker;

use crate::contract::LIMITS;
use crate::formats::fault::{Fault, check_utf8};

/// Largest number of open containers; a test checks that it is at least `json_depth` of the limits.
const MOST_DEPTH: usize = 128;

/// Returns whether a value with this first byte is a map.
pub(super) fn is_map(first: u8) -> bool {
    matches!(Marker::from_u8(first), Marker::FixMap(_) | Marker::Map16 | Marker::Map32)
}

/// The item that starts at a position. A container carries its number of elements or pairs.
pub(super) enum Item<'a> {
    Scalar,
    Text(&'a [u8]),
    Array(usize),
    Map(usize),
}

/// A container whose end is not reached yet.
#[derive(Clone, Copy)]
struct Open {
    /// Remaining values; a key counts as a value.
    left: usize,
    is_map: bool,
}

/// Walks through a body, value by value.
pub(super) struct Walker<'a> {
    bytes: &'a [u8],
    /// Number of bytes passed.
    pub(super) at: usize,
    /// The containers around the innermost one. The walker owns the array, so that it is not cleared for each
    /// value.
    open: [Open; MOST_DEPTH],
}

impl<'a> Walker<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, open: [Open { left: 0, is_map: false }; MOST_DEPTH] }
    }

    /// Returns the first byte of the next value.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Checks that no bytes follow.
    pub(super) fn end(&self) -> Result<(), Fault> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(Fault::Trailing) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let bytes = &self.bytes[self.at..];
        let taken = bytes.get(..count).ok_or(Fault::Truncated)?;
        self.at += count;
        Ok(taken)
    }

    /// Reads a big-endian length of this many bytes.
    fn length(&mut self, width: usize) -> Result<usize, Fault> {
        Ok(self.take(width)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// Skips a value at nesting depth `depth`. Does not recurse.
    pub(super) fn skip_value(&mut self, depth: usize) -> Result<(), Fault> {
        let mut level = 0;
        let mut open = Open { left: 1, is_map: false };
        loop {
            if open.left == 0 {
                if level == 0 {
                    return Ok(());
                }
                level -= 1;
                open = self.open[level];
                continue;
            }
            let is_key = open.is_map && open.left.is_multiple_of(2);
            open.left -= 1;
            if is_key {
                self.key()?;
            } else if !self.skip_byte() && !self.skip_empty(depth + level) {
                let inner = match self.item(depth + level)? {
                    Item::Scalar | Item::Text(_) => continue,
                    Item::Array(count) => Open { left: count, is_map: false },
                    Item::Map(pairs) => Open { left: 2 * pairs, is_map: true },
                };
                self.open[level] = open;
                level += 1;
                open = inner;
            }
        }
    }

    /// Skips a one-byte value that is not a container, such as an empty text; returns whether it did. It does
    /// not decode the marker, since a body may have millions of such values.
    fn skip_byte(&mut self) -> bool {
        let is_one = matches!(self.peek(), Some(0x00..=0x7f | 0xa0 | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff));
        self.at += usize::from(is_one);
        is_one
    }

    /// Skips an empty container at nesting depth `depth` without decoding its marker; returns whether it did.
    fn skip_empty(&mut self, depth: usize) -> bool {
        let is_empty = matches!(self.peek(), Some(0x80 | 0x90)) && depth < LIMITS.json_depth;
        self.at += usize::from(is_empty);
        is_empty
    }

    /// Takes a key. A key that is not a string is `Fault::Key`, whatever else is wrong with it.
    pub(super) fn key(&mut self) -> Result<&'a [u8], Fault> {
        let marker = Marker::from_u8(self.peek().ok_or(Fault::Truncated)?);
        if !matches!(marker, Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32) {
            return Err(Fault::Key);
        }
        match self.item(0)? {
            Item::Text(text) => Ok(text),
            Item::Scalar | Item::Array(_) | Item::Map(_) => Err(Fault::Key),
        }
    }

    /// Takes a value at nesting depth `depth`; of a container only its header.
    pub(super) fn item(&mut self, depth: usize) -> Result<Item<'a>, Fault> {
        let marker = Marker::from_u8(self.take(1)?[0]);
        match marker {
            Marker::Null | Marker::True | Marker::False | Marker::FixPos(_) | Marker::FixNeg(_) => {
                Ok(Item::Scalar)
            }
            Marker::U8 | Marker::I8 => self.scalar(1),
            Marker::U16 | Marker::I16 => self.scalar(2),
            Marker::U32 | Marker::I32 => self.scalar(4),
            Marker::U64 | Marker::I64 => self.scalar(8),
            Marker::F32 => {
                let bytes = self.take(4)?.first_chunk().ok_or(Fault::Truncated)?;
                finite(f32::from_be_bytes(*bytes).is_finite())
            }
            Marker::F64 => {
                let bytes = self.take(8)?.first_chunk().ok_or(Fault::Truncated)?;
                finite(f64::from_be_bytes(*bytes).is_finite())
            }
            Marker::FixStr(length) => self.text(usize::from(length)),
            Marker::Str8 => self.long_text(1),
            Marker::Str16 => self.long_text(2),
            Marker::Str32 => self.long_text(4),
            Marker::FixArray(count) => self.array(depth, |_| Ok(usize::from(count))),
            Marker::Array16 => self.array(depth, |walker| walker.length(2)),
            Marker::Array32 => self.array(depth, |walker| walker.length(4)),
            Marker::FixMap(pairs) => self.map(depth, |_| Ok(usize::from(pairs))),
            Marker::Map16 => self.map(depth, |walker| walker.length(2)),
            Marker::Map32 => self.map(depth, |walker| walker.length(4)),
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => Err(Fault::Binary),
            Marker::Reserved => Err(Fault::Reserved),
            Marker::FixExt1
            | Marker::FixExt2
            | Marker::FixExt4
            | Marker::FixExt8
            | Marker::FixExt16
            | Marker::Ext8
            | Marker::Ext16
            | Marker::Ext32 => Err(Fault::Extension),
        }
    }

    fn scalar(&mut self, width: usize) -> Result<Item<'a>, Fault> {
        self.take(width).map(|_| Item::Scalar)
    }

    fn long_text(&mut self, width: usize) -> Result<Item<'a>, Fault> {
        let length = self.length(width)?;
        self.text(length)
    }

    fn text(&mut self, length: usize) -> Result<Item<'a>, Fault> {
        let text = self.take(length)?;
        check_utf8(text)?;
        Ok(Item::Text(text))
    }

    fn array(
        &mut self,
        depth: usize,
        count: impl FnOnce(&mut Self) -> Result<usize, Fault>,
    ) -> Result<Item<'a>, Fault> {
        let count = self.container(depth, count)?;
        if count > self.left() { Err(Fault::Truncated) } else { Ok(Item::Array(count)) }
    }

    fn map(
        &mut self,
        depth: usize,
        pairs: impl FnOnce(&mut Self) -> Result<usize, Fault>,
    ) -> Result<Item<'a>, Fault> {
        let pairs = self.container(depth, pairs)?;
        if pairs > self.left() / 2 { Err(Fault::Truncated) } else { Ok(Item::Map(pairs)) }
    }

    /// Checks the depth of a container, then returns its number of elements, which `count` reads (rule
    /// FMT-04).
    fn container(
        &mut self,
        depth: usize,
        count: impl FnOnce(&mut Self) -> Result<usize, Fault>,
    ) -> Result<usize, Fault> {
        if depth >= LIMITS.json_depth { Err(Fault::Depth) } else { count(self) }
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}

fn finite<'a>(is_finite: bool) -> Result<Item<'a>, Fault> {
    if is_finite { Ok(Item::Scalar) } else { Err(Fault::Finite) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walker_has_room_for_the_deepest_value() {
        assert_eq!(MOST_DEPTH, LIMITS.json_depth);
    }
}
