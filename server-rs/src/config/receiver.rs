//! Reads the URL of a receiver (`--forward`). Pure.

/// The server that receives forwarded events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// The URL without a slash at its end. It names the cursor in the database.
    pub url: String,
    /// Host and port as given, for people.
    pub host: String,
}

/// Returns the receiver of a URL; `None` for any other text. The URL has a scheme, a host, and optionally a port and a
/// path.
pub(super) fn parse_receiver(text: &str) -> Option<Receiver> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_path = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'~' | b'-'));
    let is_receiver = is_address(host) && is_path;
    is_receiver.then(|| Receiver { url: url.to_owned(), host: host.to_owned() })
}

/// Returns whether a text is a host, and optionally a port.
pub(super) fn is_address(host: &str) -> bool {
    let colon = host.rfind(':').filter(|colon| !host[*colon..].contains(']'));
    let (name, port) = colon.map_or((host, None), |colon| (&host[..colon], Some(&host[colon + 1..])));
    let is_port = port.is_none_or(|port| {
        (1..=5).contains(&port.len())
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    is_host(name) && is_port
}

/// Returns whether a text has letters, digits, dots, hyphens and underscores, or is an IPv6 address in brackets.
fn is_host(name: &str) -> bool {
    if let Some(address) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let is_digit = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
        return !address.is_empty() && address.bytes().all(is_digit);
    }
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_has_a_scheme_and_a_host() {
        let good = [
            ("http://127.0.0.1:3141", "http://127.0.0.1:3141", "127.0.0.1:3141"),
            ("https://board.example.org/", "https://board.example.org", "board.example.org"),
            (
                "https://board.example.org:8443/team/a//",
                "https://board.example.org:8443/team/a",
                "board.example.org:8443",
            ),
            ("http://[::1]:1", "http://[::1]:1", "[::1]:1"),
            ("http://[::1]", "http://[::1]", "[::1]"),
        ];
        for (text, url, host) in good {
            let expected = Receiver { url: url.to_owned(), host: host.to_owned() };
            assert_eq!(parse_receiver(text), Some(expected), "{text}");
        }
        let bad = [
            "",
            "board",
            "board:3141",
            "ftp://board",
            "HTTP://board",
            "http://",
            "http:///x",
            "http://user@board",
            "http://board?x",
            "http://board#x",
            "http://board:0",
            "http://board:65536",
            "http://board:",
            "http://a b",
            "http://board/%20",
            "http://[]",
            "http://[::1",
            "http://board:1:2",
        ];
        for text in bad {
            assert_eq!(parse_receiver(text), None, "{text}");
        }
    }
}
