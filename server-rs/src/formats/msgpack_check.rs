//! Checks a body in MessagePack before a library decodes it (rules FMT-03 and FMT-04).
//!
//! Invariant: the check takes no memory but the places of the events, whatever the body declares, and what passes is
//! well-formed to its last byte.
//! Over 250 lines because its tests need what is private here.

use std::ops::Range;

use rmp::Marker;

use crate::contract::LIMITS;
use crate::formats::fault::{Fault, check_utf8};

/// Where the events of a batch lie.
#[derive(Debug, PartialEq, Eq)]
pub struct Places {
    /// The first ones, as many as were asked for.
    pub events: Vec<Range<usize>>,
    /// How many there are.
    pub count: usize,
}

/// Checks a body that is one value.
pub fn check_event(body: &[u8]) -> Result<(), Fault> {
    let mut walker = Walker::new(body);
    walker.skip_value(0)?;
    walker.end()
}

/// Checks a body that is a batch; `None` when it has no array `events`. Of a key given twice the last counts. Events
/// after the first `max_items` are counted and not kept.
pub fn check_batch(body: &[u8], max_items: usize) -> Result<Option<Places>, Fault> {
    let mut walker = Walker::new(body);
    let mut places = None;
    if walker.peek().is_some_and(is_map) {
        let Item::Map(pairs) = walker.item(0)? else { return Err(Fault::Truncated) };
        for _ in 0..pairs {
            if walker.key()? == b"events" {
                // Those of an earlier key must not stay while these are walked through.
                drop(places.take());
                places = walker.elements(1, max_items)?;
            } else {
                walker.skip_value(1)?;
            }
        }
    } else {
        walker.skip_value(0)?;
    }
    walker.end()?;
    Ok(places)
}

/// Checks a body that is one value; where the elements lie when it is an array, the first `max_items` of them.
pub(crate) fn check_elements(body: &[u8], max_items: usize) -> Result<Option<Places>, Fault> {
    let mut walker = Walker::new(body);
    let places = walker.elements(0, max_items)?;
    walker.end()?;
    Ok(places)
}

/// The first element of the array that the last member with this name holds, in a map that was checked.
pub(crate) fn first_element<'a>(map: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut walker = Walker::new(map);
    let Item::Map(pairs) = walker.item(0).ok()? else { return None };
    let mut found = None;
    for _ in 0..pairs {
        let is_named = walker.key().ok()? == name;
        let start = walker.at;
        walker.skip_value(1).ok()?;
        if is_named {
            found = Some(start);
        }
    }
    walker.at = found?;
    let place = walker.elements(1, 1).ok()??.events.pop()?;
    map.get(place)
}

/// Whether a value with this first byte is a map.
pub(super) fn is_map(first: u8) -> bool {
    matches!(Marker::from_u8(first), Marker::FixMap(_) | Marker::Map16 | Marker::Map32)
}

/// What stands at a place: a scalar, or a container of so many elements or pairs.
enum Item<'a> {
    Scalar,
    Text(&'a [u8]),
    Array(usize),
    Map(usize),
}

/// A container that is being walked through.
#[derive(Clone, Copy)]
struct Open {
    /// Values that are still to come; a key is one of its own.
    left: usize,
    is_map: bool,
}

struct Walker<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The containers around the one that is walked through. Kept between values, most of which are shorter.
    open: [Open; MOST_DEPTH],
}

impl<'a> Walker<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, open: [Open { left: 0, is_map: false }; MOST_DEPTH] }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn end(&self) -> Result<(), Fault> {
        if self.at == self.bytes.len() { Ok(()) } else { Err(Fault::Trailing) }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let bytes = &self.bytes[self.at..];
        let taken = bytes.get(..count).ok_or(Fault::Truncated)?;
        self.at += count;
        Ok(taken)
    }

    /// A length of this many bytes, big-endian.
    fn length(&mut self, width: usize) -> Result<usize, Fault> {
        Ok(self.take(width)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
    }

    /// The elements of the value that begins here inside `depth` containers; `None` where it is no array.
    fn elements(&mut self, depth: usize, max_items: usize) -> Result<Option<Places>, Fault> {
        let start = self.at;
        let Item::Array(count) = self.item(depth)? else {
            self.at = start;
            self.skip_value(depth)?;
            return Ok(None);
        };
        let mut events = Vec::new();
        for index in 0..count {
            let start = self.at;
            self.skip_value(depth + 1)?;
            if index < max_items {
                events.push(start..self.at);
            }
        }
        Ok(Some(Places { events, count }))
    }

    /// Any value, which lies in `depth` containers.
    fn skip_value(&mut self, depth: usize) -> Result<(), Fault> {
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
            } else if !self.skip_byte() {
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

    /// Skips a value of one byte that is no container: a body may have millions of them.
    fn skip_byte(&mut self) -> bool {
        let is_one = matches!(self.peek(), Some(0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff));
        self.at += usize::from(is_one);
        is_one
    }

    /// A key, which is a string whatever its marker might say otherwise.
    fn key(&mut self) -> Result<&'a [u8], Fault> {
        let marker = Marker::from_u8(self.peek().ok_or(Fault::Truncated)?);
        if !matches!(marker, Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32) {
            return Err(Fault::Key);
        }
        match self.item(0)? {
            Item::Text(text) => Ok(text),
            Item::Scalar | Item::Array(_) | Item::Map(_) => Err(Fault::Key),
        }
    }

    /// What stands at this place inside `depth` containers; of a container only its beginning is taken.
    fn item(&mut self, depth: usize) -> Result<Item<'a>, Fault> {
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

    /// Its marker says how deep it lies, so that is checked before its count.
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

/// Containers that are open at once; at least `json_depth` of the limits, which the check compares.
const MOST_DEPTH: usize = 128;

fn finite<'a>(is_finite: bool) -> Result<Item<'a>, Fault> {
    if is_finite { Ok(Item::Scalar) } else { Err(Fault::Finite) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter_map(crate::text::hex_value).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    #[test]
    fn names_the_first_rule_that_breaks() {
        let cases = [
            ("", Fault::Truncated),
            ("9201", Fault::Truncated),
            ("0102", Fault::Trailing),
            ("c1", Fault::Reserved),
            ("c403010203", Fault::Binary),
            ("c4", Fault::Binary),
            ("c70105aa", Fault::Extension),
            ("d6ff00000000", Fault::Extension),
            ("a2c328", Fault::Utf8),
            ("81c32801", Fault::Key),
            ("810102", Fault::Key),
            ("81c001", Fault::Key),
            ("81c101", Fault::Key),
            ("cb7ff8000000000000", Fault::Finite),
            ("ca7f800000", Fault::Finite),
            ("dbffffffff61", Fault::Truncated),
            ("ddffffffff01", Fault::Truncated),
            ("dfffffffffa16101", Fault::Truncated),
            ("81a161", Fault::Truncated),
            ("dd01ffffffdd01ffffff", Fault::Truncated),
        ];
        for (hex, fault) in cases {
            assert_eq!(check_event(&bytes(hex)), Err(fault), "{hex}");
        }
        for hex in ["c0", "80", "90", "82a16101a16102", "92c3c2", "cb8000000000000000", "cfffffffffffffffff"]
        {
            assert_eq!(check_event(&bytes(hex)), Ok(()), "{hex}");
        }
    }

    #[test]
    fn nests_128_deep_and_no_deeper() {
        assert_eq!(MOST_DEPTH, LIMITS.json_depth);
        let nested = |marker: &str, depth: usize| bytes(&(marker.repeat(depth) + "c0"));
        for marker in ["91", "81a161", "dc0001"] {
            assert_eq!(check_event(&nested(marker, 128)), Ok(()), "{marker}");
            assert_eq!(check_event(&nested(marker, 129)), Err(Fault::Depth), "{marker}");
        }
        assert_eq!(check_event(&bytes(&("91".repeat(128) + "dc"))), Err(Fault::Depth));
        let batch = |depth: usize| bytes(&format!("81a66576656e747391{}c0", "91".repeat(depth)));
        assert!(check_batch(&batch(126), 1).is_ok());
        assert_eq!(check_batch(&batch(127), 1), Err(Fault::Depth));
    }

    #[test]
    fn events_above_the_limit_are_counted_and_not_kept() {
        let body = bytes("82a66576656e7473c0a66576656e7473938001c0");
        let places = check_batch(&body, 2).expect("well-formed").expect("an array");
        assert_eq!((places.events, places.count), (vec![17..18, 18..19], 3));
        for hex in ["c0", "80", "90", "81a66576656e747380", "82a66576656e747390a66576656e747301"] {
            assert_eq!(check_batch(&bytes(hex), 2), Ok(None), "{hex}");
        }
    }
}
