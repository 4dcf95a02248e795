//! Issues and checks the cookie that admits a browser instead of the token: `ingest_session_PORT=EXPIRY.MAC` (rule
//! SEC-07).
//!
//! Either server checks it without state. The name holds the port, because a browser sends the cookies of one port of
//! a host to all other ports. Reads no clock: the caller passes the time.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::contract::{LIMITS, VOCABULARY};
use crate::http::head::trim_blank;

/// Issues and checks cookies. Holds the token as a key, so that its text cannot be logged.
#[derive(Clone)]
pub struct CookieKey(Hmac<Sha256>);

impl CookieKey {
    /// Creates the key from a token.
    pub fn new(token: &str) -> Option<Self> {
        Hmac::new_from_slice(token.as_bytes()).ok().map(Self)
    }

    /// Returns the value of `Set-Cookie` for a server on this port; times are Unix seconds.
    pub fn issue(&self, port: u16, now_s: u64) -> String {
        let (name, lifetime_s) = (cookie_name(port), LIMITS.session_cookie_s);
        let expiry = (now_s + lifetime_s).to_string();
        let mac = self.mac(&name, &expiry);
        format!("{name}={expiry}.{mac}; {}; Max-Age={lifetime_s}", VOCABULARY.security.cookie_attributes)
    }

    /// Returns whether a `Cookie` header holds the unexpired cookie of this port. It reads bytes: cookies of other
    /// programs may not be ASCII.
    pub fn admits(&self, cookies: &[u8], port: u16, now_s: u64) -> bool {
        let name = cookie_name(port);
        cookies.split(|&byte| byte == b';').any(|pair| {
            let value = trim_blank(pair).strip_prefix(name.as_bytes());
            let value = value.and_then(|value| value.strip_prefix(b"="));
            value.is_some_and(|value| self.is_valid(&name, value, now_s))
        })
    }

    fn is_valid(&self, name: &str, value: &[u8], now_s: u64) -> bool {
        let parts = std::str::from_utf8(value).ok().and_then(|value| value.split_once('.'));
        parts.is_some_and(|(expiry, mac)| {
            expiry.bytes().all(|byte| byte.is_ascii_digit())
                && expiry.parse::<u64>().is_ok_and(|expiry| now_s < expiry)
                && self.mac(name, expiry).as_bytes().ct_eq(mac.as_bytes()).into()
        })
    }

    fn mac(&self, name: &str, expiry: &str) -> String {
        let mac = self.0.clone().chain_update(name).chain_update("=").chain_update(expiry).finalize();
        mac.into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn cookie_name(port: u16) -> String {
    format!("{}_{port}", VOCABULARY.security.cookie_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1_790_000_000;
    /// The same value as in the tests of server-ts.
    const ISSUED: &str = "ingest_session_3141=1790604800.09a211d9eee66e2679ebb21596c73b851e3040eb561b0381b970683dfec63ece\
        ; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800";

    fn key() -> CookieKey {
        CookieKey::new("correct-horse-battery+staple").expect("HMAC takes keys of any length")
    }

    #[test]
    fn a_cookie_holds_its_port_its_expiry_and_a_mac() {
        assert_eq!(key().issue(3141, NOW_S), ISSUED);
    }

    #[test]
    fn a_cookie_is_valid_until_its_expiry() {
        let cookie = key().issue(3141, NOW_S);
        let admits = |now_s| key().admits(cookie.as_bytes(), 3141, now_s);
        assert!(admits(NOW_S) && admits(NOW_S + LIMITS.session_cookie_s - 1));
        assert!(!admits(NOW_S + LIMITS.session_cookie_s) && !admits(NOW_S + LIMITS.session_cookie_s + 1));
    }

    #[test]
    fn a_cookie_of_another_port_or_token_or_with_another_expiry_is_not_valid() {
        let cookie = key().issue(3141, NOW_S);
        assert!(!key().admits(cookie.as_bytes(), 3142, NOW_S));
        assert!(!key().admits(cookie.replace("_3141", "_3142").as_bytes(), 3142, NOW_S));
        assert!(!key().admits(cookie.replacen("=179", "=279", 1).as_bytes(), 3141, NOW_S));
        let other = CookieKey::new("another-token-of-length").expect("HMAC takes keys of any length");
        assert!(!other.admits(cookie.as_bytes(), 3141, NOW_S));
        // Its MAC is that of this very text, but no server writes a sign.
        let mac = key().mac("ingest_session_3141", "+1790604800");
        let signed = format!("ingest_session_3141=+1790604800.{mac}");
        assert!(!key().admits(signed.as_bytes(), 3141, NOW_S));
        for broken in ["", ".", "x", "1790604800", "1790604800.", "99999999999999999999999.0"] {
            assert!(
                !key().admits(format!("ingest_session_3141={broken}").as_bytes(), 3141, NOW_S),
                "{broken}"
            );
        }
    }
}
