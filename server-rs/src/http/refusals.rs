//! Says which Host or Origin was refused and which flag would allow it, to the client and in the log (rules SEC-10 and
//! SEC-11).
//!
//! Invariant: the log and the memory are bounded, whatever clients send.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::config::is_host_name;
use crate::contract::{LIMITS, TUNING, VOCABULARY, fill};
use crate::error::Failure;
use crate::http::authority::host_name;

/// Returns what a refusal says about a Host.
pub fn host_refusal(host: &[u8]) -> String {
    let name = std::str::from_utf8(host).ok().and_then(host_name);
    // A value that begins with a hyphen would be read as a flag.
    let name = name.filter(|name| is_host_name(name) && !name.starts_with('-'));
    refusal(host, "--allow-host", name)
}

/// Returns what a refusal says about an Origin.
pub fn origin_refusal(origin: &[u8]) -> String {
    let allowed = std::str::from_utf8(origin).ok().filter(|origin| {
        origin.split_once("://").is_some_and(|(scheme, authority)| {
            let is_scheme_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme.bytes().all(is_scheme_byte)
                && !scheme.eq_ignore_ascii_case("file")
                && host_name(authority).is_some_and(is_host_name)
        })
    });
    refusal(origin, "--allow-origin", allowed)
}

/// Returns what a refusal says about a request that no flag allows.
pub fn lasting_refusal(text: &[u8]) -> String {
    refusal(text, "", None)
}

/// Returns the text of a refusal. `allowed` is the value for the flag; it is safe to paste into a shell.
fn refusal(value: &[u8], flag: &str, allowed: Option<&str>) -> String {
    let texts = &VOCABULARY.security;
    let shown = shown(value);
    match allowed.filter(|_| value.len() <= LIMITS.shown_bytes) {
        None => fill(texts.refused_always, &[("value", &shown)]),
        Some(allowed) => fill(texts.refused, &[("value", &shown), ("flag", flag), ("allowed", allowed)]),
    }
}

/// Returns the start of a header's value. White space, quotes, `<>&`, backslashes and bytes outside ASCII are escapes.
fn shown(value: &[u8]) -> String {
    let start = value.get(..LIMITS.shown_bytes).unwrap_or(value);
    let escape = |&byte: &u8| match byte {
        b'!'..=b'~' if !b"\"&'<>\\`".contains(&byte) => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let text: String = start.iter().map(escape).collect();
    if value.len() > start.len() { text + "..." } else { text }
}

/// Logs refused requests: each at debug, and one line for each different reason in a time window at warn.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<Window>);

#[derive(Debug, Default)]
struct Window {
    reasons: HashSet<String>,
    suppressed: u64,
    ends: Option<Instant>,
}

impl Refusals {
    /// Logs a request that the guard refused.
    pub fn note(&self, failure: &Failure, now: Instant) {
        let code = failure.code.as_str();
        let reason = failure.members.get("message").and_then(|message| message.as_str());
        tracing::debug!(code, reason, "request refused");
        let Some(reason) = reason else { return };
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if window.ends.is_none_or(|ends| now >= ends) {
            window.start(now);
        }
        if window.reasons.contains(reason) || window.reasons.len() >= TUNING.refusals_logged {
            window.suppressed += 1;
            return;
        }
        window.reasons.insert(reason.to_owned());
        tracing::warn!(code, reason, "request refused");
    }
}

impl Window {
    fn start(&mut self, now: Instant) {
        if self.suppressed > 0 {
            tracing::warn!(count = self.suppressed, "more requests were refused");
        }
        self.reasons.clear();
        self.suppressed = 0;
        self.ends = Some(now + Duration::from_millis(TUNING.refusals_window_ms));
    }
}
