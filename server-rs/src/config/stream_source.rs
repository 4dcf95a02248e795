//! Reads the server and the stream of NATS (`--nats`, `--stream`). Pure.

use crate::config::receiver::is_address;

/// Most characters of the name of a stream.
pub(super) const NAME_CHARACTERS: usize = 64;

/// The stream that has the events of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSource {
    /// The URL of a server of NATS.
    pub url: String,
    /// Host and port as given, for people.
    pub host: String,
    /// Text of the file that `--nats-token-file` names.
    pub token: Option<String>,
    /// The name of the stream.
    pub name: String,
    /// Number of copies, when this server creates the stream.
    pub replicas: usize,
}

/// Returns host and port of a URL; `None` for any other text than `nats://`, a host, and optionally a port.
pub(super) fn parse_nats(text: &str) -> Option<String> {
    text.strip_prefix("nats://").filter(|host| is_address(host)).map(str::to_owned)
}

/// Returns whether a text may be the name of a stream.
pub(super) fn is_stream_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=NAME_CHARACTERS).contains(&text.len()) && text.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_nats_has_a_host_and_no_path() {
        let good =
            [("nats://127.0.0.1:4222", "127.0.0.1:4222"), ("nats://[::1]", "[::1]"), ("nats://a.b", "a.b")];
        for (text, host) in good {
            assert_eq!(parse_nats(text).as_deref(), Some(host), "{text}");
        }
        for text in ["", "127.0.0.1:4222", "http://a", "nats://", "nats://a/", "nats://u:p@a", "nats://a:0"] {
            assert_eq!(parse_nats(text), None, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_stream_is_one_token_of_a_subject() {
        assert!(["a", "Board-1", "x_y"].into_iter().all(is_stream_name));
        let long = "x".repeat(NAME_CHARACTERS + 1);
        assert!(!["", "a.b", "a b", "*", ">", "\u{e9}", &long].into_iter().any(is_stream_name));
    }
}
