//! Makes the body of a batch from the events of a call (rule RPC-05).

use crate::formats::Format;

/// Returns an object or a map with the one member `events`, whose value stays as sent.
pub fn batch_body(events: &[u8], format: Format) -> Vec<u8> {
    let (before, behind): (&[u8], &[u8]) = match format {
        Format::Msgpack => (b"\x81\xa6events", b""),
        Format::Json | Format::Ndjson | Format::Protobuf | Format::Arrow => (b"{\"events\":", b"}"),
    };
    [before, events, behind].concat()
}
