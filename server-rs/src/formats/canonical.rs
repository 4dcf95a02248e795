//! Writes a value as its canonical JSON text (rule FMT-05; RFC 8785, section 3.2.3).
//!
//! Invariant: the check of a body bounds how deep a value is nested, so the writer may recurse.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::number::print_number;

/// Appends values to a text.
pub(super) struct Canonical<'o>(pub(super) &'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Canonical<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, library: D) -> Result<(), D::Error> {
        library.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Canonical<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.0.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        print_number(self.0, value);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        // Writing a string to memory cannot fail.
        drop(serde_json::to_writer(self.0, text));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let opening = self.0.len();
        self.0.push(b'[');
        while values.next_element_seed(Canonical(self.0))?.is_some() {
            self.0.push(b',');
        }
        close(self.0, opening, b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let opening = self.0.len();
        let mut written: Vec<(&'de str, usize, usize)> = Vec::new();
        while let Some(name) = members.next_key::<&'de str>()? {
            let start = self.0.len();
            Canonical(self.0).visit_str(name)?;
            self.0.push(b':');
            members.next_value_seed(Canonical(self.0))?;
            written.push((name, start, self.0.len()));
        }
        // A stable order: of equal names the last one sent stays last, and only that one is kept.
        written.sort_by(|one, other| one.0.encode_utf16().cmp(other.0.encode_utf16()));
        let mut ordered = vec![b'{'];
        for (index, (name, start, end)) in written.iter().enumerate() {
            if written.get(index + 1).is_none_or(|next| next.0 != *name) {
                ordered.extend_from_slice(&self.0[*start..*end]);
                ordered.push(b',');
            }
        }
        close(&mut ordered, 0, b'}');
        self.0.truncate(opening);
        self.0.extend_from_slice(&ordered);
        Ok(())
    }
}

/// Ends a container; `end` replaces the comma after its last value.
fn close(out: &mut Vec<u8>, opening: usize, end: u8) {
    if out.len() > opening + 1 {
        out.pop();
    }
    out.push(end);
}
