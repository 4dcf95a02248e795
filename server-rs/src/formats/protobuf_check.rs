//! Checks a body in Protobuf before a library decodes it (rules FMT-03 and FMT-06).
//!
//! Invariant: the check allocates nothing except the places of the events, whatever the body declares. A body that
//! passes is well-formed to its last byte.

use crate::contract::LIMITS;
use crate::formats::batch::Places;
use crate::formats::event_message::wire_form;
use crate::formats::fault::{Fault, check_utf8};

/// The number of `events` in the message `IngestBatch`.
const EVENTS: u64 = 1;
/// Longest varint, and longest varint of a tag, whose value has 32 bits
/// (<https://protobuf.dev/programming-guides/encoding>).
const MOST_BYTES: u32 = 10;
const TAG_BYTES: u32 = 5;

/// The wire form of a known field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is said by its name")]
pub enum WireForm {
    Varint,
    Fixed64,
    Text,
    Bytes,
}

impl WireForm {
    fn wire_type(self) -> u64 {
        match self {
            WireForm::Varint => 0,
            WireForm::Fixed64 => 1,
            WireForm::Text | WireForm::Bytes => 2,
        }
    }
}

/// Checks a body that is an `Event`.
pub fn check_event(body: &[u8]) -> Result<(), Fault> {
    Walker::new(body).event()
}

/// Checks a body that is an `IngestBatch`. Events after the first `max_items` are counted but not kept.
pub fn check_batch(body: &[u8], max_items: usize) -> Result<Places, Fault> {
    let mut walker = Walker::new(body);
    let mut places = Places::default();
    while walker.at < body.len() {
        let known = |number: u64| (number == EVENTS).then_some(WireForm::Bytes);
        if let Some((WireForm::Bytes, event)) = walker.field(known)? {
            let start = walker.at - event.len();
            Walker::new(event).event()?;
            if places.count < max_items {
                places.events.push(start..walker.at);
            }
            places.count += 1;
        }
    }
    Ok(places)
}

/// Returns the value of a varint that a walker has checked.
pub(crate) fn varint_of(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f))
}

/// Walks through a message, field by field.
pub(crate) struct Walker<'a> {
    bytes: &'a [u8],
    /// Number of bytes passed.
    at: usize,
}

impl<'a> Walker<'a> {
    /// Starts at the first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns whether no bytes are left.
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Checks the fields of an `Event`, which takes all remaining bytes.
    fn event(mut self) -> Result<(), Fault> {
        while self.at < self.bytes.len() {
            if let Some((WireForm::Text, text)) = self.field(wire_form)? {
                check_utf8(text)?;
            }
        }
        Ok(())
    }

    /// Takes a field; returns its form and the value's bytes when `known` has a form for its number.
    pub(crate) fn field(
        &mut self,
        known: impl FnOnce(u64) -> Option<WireForm>,
    ) -> Result<Option<(WireForm, &'a [u8])>, Fault> {
        let tag = self.varint(TAG_BYTES)?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 || number > LIMITS.max_field_number {
            return Err(Fault::Field);
        }
        if !matches!(wire_type, 0 | 1 | 2 | 5) {
            return Err(Fault::WireType);
        }
        let form = known(number);
        if form.is_some_and(|form| form.wire_type() != wire_type) {
            return Err(Fault::FieldType);
        }
        let start = self.at;
        let bytes = match wire_type {
            0 => {
                self.varint(MOST_BYTES)?;
                &self.bytes[start..self.at]
            }
            1 => self.take(8)?,
            5 => self.take(4)?,
            _ => {
                let length = self.varint(MOST_BYTES)?;
                self.take(usize::try_from(length).map_err(|_| Fault::Truncated)?)?
            }
        };
        Ok(form.map(|form| (form, bytes)))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let bytes = &self.bytes[self.at..];
        let taken = bytes.get(..count).ok_or(Fault::Truncated)?;
        self.at += count;
        Ok(taken)
    }

    /// Takes a varint of at most this many bytes, and of at most 64 bits.
    fn varint(&mut self, most: u32) -> Result<u64, Fault> {
        let mut value = 0;
        for place in 0..most {
            let byte = *self.bytes.get(self.at).ok_or(Fault::Truncated)?;
            self.at += 1;
            // 64 bits leave one bit for the tenth byte.
            if place + 1 == MOST_BYTES && byte > 1 {
                return Err(Fault::Varint);
            }
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(if most == TAG_BYTES { Fault::Tag } else { Fault::Varint })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::bytes;

    #[test]
    fn the_check_names_the_first_broken_rule() {
        let cases = [
            ("0affffffff0f61", Fault::Truncated),
            ("0affffffffffffffffff0161", Fault::Truncated),
            ("0a0561", Fault::Truncated),
            ("50", Fault::Truncated),
            ("5080", Fault::Truncated),
            ("790000", Fault::Truncated),
            ("50ffffffffffffffffffff01", Fault::Varint),
            ("50ffffffffffffffffff02", Fault::Varint),
            ("ffffffffff", Fault::Tag),
            ("8a808080808000", Fault::Tag),
            ("0200", Fault::Field),
            ("808080801000", Fault::Field),
            ("0f", Fault::WireType),
            ("0b", Fault::WireType),
            ("07", Fault::Field),
            ("c33e", Fault::WireType),
            ("0801", Fault::FieldType),
            ("1a00", Fault::FieldType),
            ("9d0100000000", Fault::FieldType),
            ("0a02c328", Fault::Utf8),
        ];
        for (hex, fault) in cases {
            assert_eq!(check_event(&bytes(hex)), Err(fault), "{hex}");
        }
        for hex in ["", "0a0161", "50ffffffffffffffffff01", "920102c328", "c23e02c328", "f8ffffff0f01"] {
            assert_eq!(check_event(&bytes(hex)), Ok(()), "{hex}");
        }
    }

    #[test]
    fn events_above_the_limit_are_counted_but_not_kept() {
        let places = check_batch(&bytes("0a0012000a030a01610a00"), 2).expect("well-formed");
        assert_eq!((places.events, places.count), (vec![2..2, 6..9], 3));
        assert_eq!(check_batch(&bytes("0801"), 2), Err(Fault::FieldType));
        assert_eq!(check_batch(&bytes("0a020a0561"), 2), Err(Fault::Truncated));
        assert_eq!(check_batch(&[], 2).map(|places| places.count), Ok(0));
    }
}
