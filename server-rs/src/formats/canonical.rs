//! Writes a value as its canonical JSON text (rule FMT-05; RFC 8785, section 3.2.3).
//!
//! Invariant: the check of a body bounds the nesting depth, so the writer may recurse.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::number::print_number;

/// Appends values to a text.
pub(super) struct Canonical<'o> {
    out: &'o mut Vec<u8>,
    is_read_again: bool,
}

impl<'o> Canonical<'o> {
    /// Creates a writer that prints numbers as ECMAScript does.
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, is_read_again: false }
    }

    /// Creates a writer for text that only the scanner reads again (rule RPC-04). It keeps -0 and the order of
    /// members: sorting millions of members takes several times the memory of the body.
    pub(super) fn to_read_again(out: &'o mut Vec<u8>) -> Self {
        Self { out, is_read_again: true }
    }

    /// Creates a writer for a nested value.
    fn inner(&mut self) -> Canonical<'_> {
        Canonical { out: self.out, is_read_again: self.is_read_again }
    }
}

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
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        if self.is_read_again && value == 0.0 && value.is_sign_negative() {
            self.out.extend_from_slice(b"-0");
        } else {
            print_number(self.out, value);
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        // Writing a string to memory cannot fail.
        drop(serde_json::to_writer(self.out, text));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut values: A) -> Result<(), A::Error> {
        let opening = self.out.len();
        self.out.push(b'[');
        while values.next_element_seed(self.inner())?.is_some() {
            self.out.push(b',');
        }
        close(self.out, opening, b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let opening = self.out.len();
        if self.is_read_again {
            self.out.push(b'{');
        }
        let mut written: Vec<(&'de str, usize, usize)> = Vec::new();
        while let Some(name) = members.next_key::<&'de str>()? {
            let start = self.out.len();
            self.inner().visit_str(name)?;
            self.out.push(b':');
            members.next_value_seed(self.inner())?;
            if self.is_read_again {
                self.out.push(b',');
            } else {
                written.push((name, start, self.out.len()));
            }
        }
        if self.is_read_again {
            close(self.out, opening, b'}');
            return Ok(());
        }
        // The sort is stable: of equal names the last one sent stays last, and only the last is kept.
        written.sort_by(|one, other| one.0.encode_utf16().cmp(other.0.encode_utf16()));
        let mut ordered = vec![b'{'];
        for (index, (name, start, end)) in written.iter().enumerate() {
            if written.get(index + 1).is_none_or(|next| next.0 != *name) {
                ordered.extend_from_slice(&self.out[*start..*end]);
                ordered.push(b',');
            }
        }
        close(&mut ordered, 0, b'}');
        self.out.truncate(opening);
        self.out.extend_from_slice(&ordered);
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
