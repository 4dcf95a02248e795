//! The receiver of notifications: its URL, and the key that signs for it (rules NOT-01 and NOT-03).
//!
//! Pure. The signature is that of the Standard Webhooks specification. Holds the secret as a key, so that its text
//! cannot be logged.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::contract::LIMITS;

/// What the specification puts before the text of a secret.
const SECRET_PREFIX: &str = "whsec_";
/// What it puts before a signature with HMAC-SHA-256.
const SIGNATURE_PREFIX: &str = "v1,";

/// The receiver that `--webhook` names.
#[derive(Clone)]
pub struct Endpoint {
    /// As given.
    pub url: String,
    key: Hmac<Sha256>,
}

/// Neither the URL nor the secret must reach logs, so `Debug` prints none of it.
impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Creates the receiver from a URL that [`is_endpoint_url`] accepts, and from the bytes of its secret.
    pub fn new(url: &str, secret: &[u8]) -> Option<Self> {
        Some(Self { url: url.to_owned(), key: Hmac::new_from_slice(secret).ok()? })
    }

    /// Returns the value of `webhook-signature` for an id, a time in Unix seconds, and a body.
    pub fn sign(&self, id: &str, now_s: u64, body: &str) -> String {
        let mac = self.key.clone().chain_update(format!("{id}.{now_s}.")).chain_update(body).finalize();
        format!("{SIGNATURE_PREFIX}{}", STANDARD.encode(mac.into_bytes()))
    }
}

/// Returns whether a text is a URL of http or https without user name and fragment, in visible ASCII.
pub fn is_endpoint_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let is_scheme = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    is_scheme
        && text.len() <= LIMITS.webhook_url_bytes
        && rest.bytes().all(|byte| byte.is_ascii_graphic() && !br##""#<>\^`{|}"##.contains(&byte))
        && split_authority(authority).is_some_and(|(host, port)| {
            is_host(host)
                && port.is_none_or(|port| {
                    port.len() <= 5
                        && port.parse::<u16>().is_ok_and(|number| number > 0 && !port.starts_with('+'))
                })
        })
}

/// Returns the bytes of a secret's text; `None` when it is none, or too short or too long.
pub fn parse_secret(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text.strip_prefix(SECRET_PREFIX)?).ok()?;
    (LIMITS.webhook_secret_bytes..=LIMITS.webhook_secret_most_bytes).contains(&bytes.len()).then_some(bytes)
}

/// Divides an authority into its host and its port.
fn split_authority(text: &str) -> Option<(&str, Option<&str>)> {
    let end = if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
    let (host, rest) = text.split_at(end);
    match rest.strip_prefix(':') {
        Some(port) => Some((host, Some(port))),
        None => rest.is_empty().then_some((host, None)),
    }
}

/// Returns whether a text is a host: letters, digits, dots, hyphens and underscores, or an IPv6 address in brackets.
fn is_host(text: &str) -> bool {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_http_and_https_are_accepted() {
        let urls = [
            "http://127.0.0.1:8080/hook?a=1&b=%20",
            "https://example.org",
            "HTTPS://Example.org/A",
            "http://[::1]:65535/",
            "http://a_b.example?x",
        ];
        for url in urls {
            assert!(is_endpoint_url(url), "{url}");
        }
        for url in [
            "",
            "example.org",
            "ftp://example.org",
            "file:///etc/passwd",
            "http://",
            "http:///path",
            "http://user@example.org/",
            "http://user:password@example.org/",
            "http://example.org/#part",
            "http://example.org:0/",
            "http://example.org:/",
            "http://example.org:65536/",
            "http://example.org:+80/",
            "http://[::1/",
            "http://[::zz]/",
            "http://[::1]x/",
            "http://exa mple.org/",
            "http://example.org/\u{e9}",
            "http://example.org/a\nb",
        ] {
            assert!(!is_endpoint_url(url), "{url}");
        }
        assert!(!is_endpoint_url(&format!("http://example.org/{}", "a".repeat(2048))));
    }

    #[test]
    fn a_secret_is_base64_of_24_to_64_bytes() {
        let of = |count: usize| format!("whsec_{}", STANDARD.encode(vec![7; count]));
        assert_eq!(parse_secret(&of(24)).map(|bytes| bytes.len()), Some(24));
        assert_eq!(parse_secret(&of(64)).map(|bytes| bytes.len()), Some(64));
        for text in [
            of(23).as_str(),
            of(65).as_str(),
            "whsec_",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
        ] {
            assert_eq!(parse_secret(text), None, "{text}");
        }
    }

    #[test]
    fn the_signature_is_that_of_the_specification() {
        // The example of the reference libraries of Standard Webhooks.
        let secret = parse_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("is valid");
        let end = Endpoint::new("http://127.0.0.1/", &secret).expect("is valid");
        let signature = end.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
