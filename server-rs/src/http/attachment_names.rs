//! Checks the name and the media type of an attachment, and writes both for an answer (rules ATT-02, ATT-03
//! and ATT-07). Pure.

use http::header::{CONTENT_TYPE, HeaderMap};

use crate::contract::{LIMITS, VOCABULARY, fill};
use crate::error::{ErrorCode, Failure};
use crate::http::head::trim_blank;
use crate::http::parameters::invalid;
use crate::text::{is_attachment_name, is_media_type, percent_decode};

/// Decodes the name of an attachment from a path, once.
pub fn attachment_name(encoded: &str) -> Result<String, Failure> {
    let limit = LIMITS.attachment_name_bytes;
    let name = percent_decode(encoded, false).filter(|name| is_attachment_name(name));
    name.ok_or_else(|| {
        invalid("name", &fill(VOCABULARY.parameter_messages.file_name, &[("limit", &limit.to_string())]))
    })
}

/// The default media type of an attachment.
const ANY_BYTES: &str = "application/octet-stream";

/// Returns the media type of a body, in lower case and without parameters.
pub fn media_type(headers: &HeaderMap) -> Result<String, Failure> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(ANY_BYTES.to_owned()),
        (Some(value), None) => parse_media_type(value.as_bytes()).ok_or_else(unsupported),
        _ => Err(unsupported()),
    }
}

fn unsupported() -> Failure {
    Failure::new(ErrorCode::UnsupportedMediaType).with("supported", vec!["*/*"])
}

/// Parses `type/subtype` (RFC 9110, section 8.3.1).
fn parse_media_type(value: &[u8]) -> Option<String> {
    let essence = trim_blank(value.split(|&byte| byte == b';').next()?);
    let text = std::str::from_utf8(essence).ok()?.to_ascii_lowercase();
    is_media_type(&text).then_some(text)
}

/// Returns the `Content-Disposition` of an attachment (RFC 6266 and RFC 8187).
pub fn disposition(name: &str, media_type: &str) -> String {
    let is_inline = VOCABULARY.inline_media_types.contains(&media_type);
    let kind = if is_inline { "inline" } else { "attachment" };
    let is_plain = |c: char| matches!(c, ' '..='~') && !matches!(c, '"' | '%' | '\\');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let mut value = format!("{kind}; filename=\"{plain}\"");
    if plain != name {
        value.push_str("; filename*=UTF-8''");
        name.bytes().for_each(|byte| push_encoded(&mut value, byte));
    }
    value
}

/// Appends an attr-char unchanged, any other byte percent-encoded (RFC 8187, section 3.2.1).
fn push_encoded(value: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
        value.push(char::from(byte));
    } else {
        value.push_str(&format!("%{byte:02X}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_name_is_one_path_segment() {
        let longest = "x".repeat(255);
        for (encoded, name) in [
            ("a.txt", "a.txt"),
            ("a%20b%25", "a b%"),
            ("a+b", "a+b"),
            ("...", "..."),
            ("%C3%A9", "é"),
            ("%252F", "%2F"),
            (&*longest, &*longest),
        ] {
            assert_eq!(attachment_name(encoded).as_deref(), Ok(name), "{encoded}");
        }
        let long = "%C3%A9".repeat(128);
        for bad in [
            ".",
            "..",
            "%2E%2e",
            "a%2Fb",
            "a%5Cb",
            "a%00",
            "%1F",
            "%7F",
            "%C2%80",
            "%C2%9F",
            "%",
            "%ff",
            "%ED%A0%80",
            &long,
        ] {
            assert!(attachment_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_media_type_has_no_parameters_and_no_upper_case() {
        let long = format!("a/{}", "b".repeat(125));
        for (value, expected) in [
            ("text/plain", "text/plain"),
            ("Text/HTML; charset=utf-8;", "text/html"),
            ("image/svg+xml ;a", "image/svg+xml"),
            (&*long, &*long),
        ] {
            assert_eq!(parse_media_type(value.as_bytes()).as_deref(), Some(expected), "{value}");
        }
        for bad in
            ["", "text", "text/", "/plain", "a/b/c", "a b/c", "a/b, c/d", "*", "é/x", &format!("{long}b")]
        {
            assert_eq!(parse_media_type(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_disposition_has_both_forms_of_a_name_that_is_not_ascii() {
        for (name, media_type, expected) in [
            ("a b.png", "image/png", r#"inline; filename="a b.png""#),
            ("a.svg", "image/svg+xml", r#"attachment; filename="a.svg""#),
            ("a\"%.txt", "text/html", r#"attachment; filename="a__.txt"; filename*=UTF-8''a%22%25.txt"#),
            (
                "é'(😀)",
                "image/webp",
                r#"inline; filename="_'(_)"; filename*=UTF-8''%C3%A9%27%28%F0%9F%98%80%29"#,
            ),
        ] {
            assert_eq!(disposition(name, media_type), expected);
        }
    }
}
