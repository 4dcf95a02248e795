//! Handles text as the contract defines: well-formed Unicode without U+0000, trimmed the ECMAScript way.
//!
//! Pure. Knows nothing of events or of HTTP.

use std::borrow::Cow;

use crate::contract::LIMITS;

/// A string with U+0000 or a lone surrogate (rule EVT-12).
#[derive(Debug, PartialEq, Eq)]
pub struct IllFormed;

/// Decodes a JSON string token with its quotes.
///
/// `escaped` means that the token holds a backslash; without one the text is borrowed. The token has passed the
/// scanner, so a lone surrogate is the only possible error in its escapes.
pub fn decode_token(token: &str, escaped: bool) -> Result<Cow<'_, str>, IllFormed> {
    let text = if escaped {
        Cow::Owned(serde_json::from_str::<String>(token).map_err(|_| IllFormed)?)
    } else {
        Cow::Borrowed(&token[1..token.len() - 1])
    };
    if text.contains('\0') { Err(IllFormed) } else { Ok(text) }
}

/// Appends the JSON text of a string.
pub(crate) fn push_json(json: &mut String, text: &str) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        for part in ["\"", text, "\""] {
            json.push_str(part);
        }
    } else {
        json.push_str(&serde_json::Value::from(text).to_string());
    }
}

/// Removes ECMAScript white space and line terminators from both ends (ECMA-262, `String.prototype.trim`). Unlike
/// Rust's `trim`, the set includes U+FEFF and excludes U+0085.
pub fn trim_text(text: &str) -> &str {
    text.trim_matches(is_ecma_space)
}

fn is_ecma_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{D}'
            | ' '
            | '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{3000}'
            | '\u{FEFF}'
    )
}

/// Returns whether a text can name an attachment (rule ATT-02).
pub fn is_attachment_name(text: &str) -> bool {
    text.len() <= LIMITS.attachment_name_bytes
        && !matches!(text, "" | "." | "..")
        && !text.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

/// Returns whether a text is a media type as attachments have it: `type/subtype` in lower case (rule ATT-03; RFC 9110,
/// section 8.3.1).
pub fn is_media_type(text: &str) -> bool {
    let is_lower =
        |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(is_lower);
    let names = text.split_once('/');
    text.len() <= LIMITS.media_type_bytes && names.is_some_and(|(kind, of)| is_name(kind) && is_name(of))
}

/// Resolves percent-encoding once (RFC 3986, section 2.1). Returns `None` when it is malformed or not UTF-8. In a
/// query `+` is a space (WHATWG URL, `application/x-www-form-urlencoded`).
pub fn percent_decode(text: &str, plus_is_space: bool) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'%' => hex_value(rest.next()?)? << 4 | hex_value(rest.next()?)?,
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    String::from_utf8(out).ok()
}

/// Returns the value of a hexadecimal digit in either case.
pub(crate) fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimming_removes_ecmascript_white_space() {
        assert_eq!(trim_text("\u{FEFF}\u{A0}\u{2028} a b \t\n\u{3000}"), "a b");
        assert_eq!(trim_text("\u{85}a\u{180E}"), "\u{85}a\u{180E}");
    }

    #[test]
    fn decoding_detects_lone_surrogates_and_nul() {
        assert_eq!(decode_token(r#""a\u0041\/""#, true).as_deref(), Ok("aA/"));
        assert_eq!(decode_token(r#""\ud83d\ude00""#, true).as_deref(), Ok("😀"));
        for token in [r#""\ud800""#, r#""\udc00x""#, r#""\ud800\ud800""#, r#""\u0000""#] {
            assert_eq!(decode_token(token, true), Err(IllFormed), "{token}");
        }
    }

    #[test]
    fn percent_encoding_is_resolved_once() {
        assert_eq!(percent_decode("a%2Fb+c", true).as_deref(), Some("a/b c"));
        assert_eq!(percent_decode("a+%252F", false).as_deref(), Some("a+%2F"));
        for bad in ["%", "%2", "%zz", "%ff"] {
            assert_eq!(percent_decode(bad, true), None, "{bad}");
        }
    }
}
