//! Checks a body in MessagePack before a library decodes it (rules FMT-03 and FMT-04).
//!
//! Invariant: the check allocates nothing except the places of the events, whatever the body declares. A body that
//! passes is well-formed to its last byte.

use crate::formats::batch::Places;
use crate::formats::fault::Fault;
use crate::formats::msgpack_walker::{Item, Walker, is_map};

/// Checks a body that holds one value.
pub fn check_event(body: &[u8]) -> Result<(), Fault> {
    let mut walker = Walker::new(body);
    walker.skip_value(0)?;
    walker.end()
}

/// Checks a body that holds a batch; `None` when it has no array `events`. Of equal keys the last counts. Events
/// after the first `max_items` are counted but not kept.
pub fn check_batch(body: &[u8], max_items: usize) -> Result<Option<Places>, Fault> {
    let mut walker = Walker::new(body);
    let mut places = None;
    if walker.peek().is_some_and(is_map) {
        let Item::Map(pairs) = walker.item(0)? else { return Err(Fault::Truncated) };
        for _ in 0..pairs {
            if walker.key()? == b"events" {
                // Frees the places of an earlier key before allocating these.
                drop(places.take());
                places = elements(&mut walker, 1, max_items)?;
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

/// Checks a body that holds one value. For an array it returns the places of the first `max_items` elements.
pub(crate) fn check_elements(body: &[u8], max_items: usize) -> Result<Option<Places>, Fault> {
    let mut walker = Walker::new(body);
    let places = elements(&mut walker, 0, max_items)?;
    walker.end()?;
    Ok(places)
}

/// Returns the first element of the array in the last member with this name, in a checked map.
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
    let place = elements(&mut walker, 1, 1).ok()??.events.pop()?;
    map.get(place)
}

/// Checks a value at nesting depth `depth`; `None` when it is not an array.
fn elements(walker: &mut Walker<'_>, depth: usize, max_items: usize) -> Result<Option<Places>, Fault> {
    let start = walker.at;
    let Item::Array(count) = walker.item(depth)? else {
        walker.at = start;
        walker.skip_value(depth)?;
        return Ok(None);
    };
    let mut events = Vec::new();
    for index in 0..count {
        let start = walker.at;
        walker.skip_value(depth + 1)?;
        if index < max_items {
            events.push(start..walker.at);
        }
    }
    Ok(Some(Places { events, count }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::bytes;

    #[test]
    fn the_check_names_the_first_broken_rule() {
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
    fn the_check_accepts_128_levels_and_no_more() {
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
    fn events_above_the_limit_are_counted_but_not_kept() {
        let body = bytes("82a66576656e7473c0a66576656e7473938001c0");
        let places = check_batch(&body, 2).expect("well-formed").expect("an array");
        assert_eq!((places.events, places.count), (vec![17..18, 18..19], 3));
        for hex in ["c0", "80", "90", "81a66576656e747380", "82a66576656e747390a66576656e747301"] {
            assert_eq!(check_batch(&bytes(hex), 2), Ok(None), "{hex}");
        }
    }
}
