//! Finds frames in standard input: a length of four bytes, big-endian, and a batch of that length (rules PRO-12 and
//! PRO-14).
//!
//! Invariant: a frame takes memory for received bytes only, never for its declared length.

use bytes::{Buf, Bytes, BytesMut};

use crate::error::{ErrorCode, Failure};
use crate::input::batch::{Batch, Broken, Place};

/// Size of a frame's length prefix.
const HEADER_BYTES: usize = 4;

/// Received frames that are not taken yet.
#[derive(Debug)]
pub struct Frames {
    max_bytes: u64,
    bytes: BytesMut,
    /// The number of the next frame.
    next: u64,
}

impl Frames {
    /// Creates a splitter for frames of at most `max_bytes`.
    pub fn new(max_bytes: u64) -> Self {
        Self { max_bytes, bytes: BytesMut::new(), next: 1 }
    }

    /// Adds received bytes.
    pub fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// Returns the size of the next frame; `None` before it is complete. Returns 0 when it declares too many bytes,
    /// which `take` refuses.
    pub fn ready(&self) -> Option<usize> {
        let length = self.declared()?;
        if u64::from(length) > self.max_bytes {
            return Some(0);
        }
        let length = usize::try_from(length).ok()?;
        (self.bytes.len() - HEADER_BYTES >= length).then_some(length)
    }

    /// Takes the next frame if it is complete; an error when it declares too many bytes.
    pub fn take(&mut self) -> Result<Option<Batch>, Broken> {
        let Some(length) = self.ready() else { return Ok(None) };
        if let Some(declared) = self.declared().filter(|length| u64::from(*length) > self.max_bytes) {
            let failure = Failure::new(ErrorCode::PayloadTooLarge);
            return Err(self.broken(failure.with("limit", self.max_bytes).with("actual", declared)));
        }
        self.bytes.advance(HEADER_BYTES);
        let body = Bytes::from(self.bytes.split_to(length)).into();
        let place = Place::Frame(self.next);
        self.next += 1;
        Ok(Some(Batch { body, place, too_long: Vec::new() }))
    }

    /// Marks the end of the input; an error when it cuts a frame.
    pub fn end(&mut self) -> Result<(), Broken> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.broken(Failure::new(ErrorCode::BadRequest))) }
    }

    fn declared(&self) -> Option<u32> {
        self.bytes.first_chunk::<HEADER_BYTES>().map(|header| u32::from_be_bytes(*header))
    }

    fn broken(&self, failure: Failure) -> Broken {
        Broken { place: Place::Frame(self.next), failure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bodies and numbers of all complete frames.
    fn frames(frames: &mut Frames) -> Vec<(Vec<u8>, Place)> {
        std::iter::from_fn(|| frames.take().expect("frames that are not too large"))
            .map(|batch| (batch.body, batch.place))
            .collect()
    }

    #[test]
    fn frames_survive_a_split_at_every_byte() {
        let bytes = b"\0\0\0\x03abc\0\0\0\0\0\0\0\x01d";
        for at in 0..=bytes.len() {
            let mut read = Frames::new(100);
            read.push(&bytes[..at]);
            let mut found = frames(&mut read);
            read.push(&bytes[at..]);
            found.extend(frames(&mut read));
            let expected = [
                (b"abc".to_vec(), Place::Frame(1)),
                (Vec::new(), Place::Frame(2)),
                (b"d".to_vec(), Place::Frame(3)),
            ];
            assert_eq!(found, expected, "{at}");
            assert_eq!(read.end(), Ok(()), "{at}");
        }
    }

    #[test]
    fn a_frame_that_the_input_s_end_cuts_is_broken() {
        for bytes in [&b"\0"[..], b"\0\0\0", b"\0\0\0\x02", b"\0\0\0\x02a"] {
            let mut read = Frames::new(100);
            read.push(b"\0\0\0\x01x");
            read.push(bytes);
            assert_eq!(frames(&mut read).len(), 1);
            let broken = read.end().expect_err("a cut frame");
            assert_eq!((broken.place, broken.failure.code), (Place::Frame(2), ErrorCode::BadRequest));
        }
    }

    #[test]
    fn a_length_above_the_limit_is_refused_before_any_allocation() {
        let mut read = Frames::new(100);
        read.push(b"\0\0\0\x64");
        assert_eq!(read.take(), Ok(None), "a length at the limit");
        let mut read = Frames::new(100);
        read.push(b"\xff\xff\xff\xff");
        assert_eq!(read.ready(), Some(0));
        let Broken { place, failure } = read.take().expect_err("too large");
        assert_eq!((place, failure.code), (Place::Frame(1), ErrorCode::PayloadTooLarge));
        assert_eq!(failure.members["limit"], 100);
        assert_eq!(failure.members["actual"], u32::MAX);
        assert!(read.bytes.capacity() < 100);
    }
}
