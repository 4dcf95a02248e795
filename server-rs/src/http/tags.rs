//! Compares the tags of `If-None-Match` with that of an answer (rules SYN-06 and ATT-08).

use http::header::{HeaderMap, IF_NONE_MATCH};

/// The tags of `If-None-Match` (RFC 9110, section 13.1.2); a list that breaks the grammar has none.
#[derive(Debug)]
pub enum KnownTags {
    /// `*`
    Any,
    /// Opaque tags with their quotes, as they were sent.
    Some(Vec<Vec<u8>>),
}

impl KnownTags {
    /// Those of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        let fields: Vec<&[u8]> =
            headers.get_all(IF_NONE_MATCH).iter().map(|value| value.as_bytes()).collect();
        // Several fields are one list (RFC 9110, section 5.3).
        let list = fields.join(&b", "[..]);
        if list.trim_ascii() == b"*" { Self::Any } else { Self::Some(read_tags(&list).unwrap_or_default()) }
    }

    /// Weak comparison (RFC 9110, section 8.8.3.2): whether either tag is weak means nothing.
    pub fn has(&self, etag: &str) -> bool {
        let opaque = etag.strip_prefix("W/").unwrap_or(etag).as_bytes();
        match self {
            Self::Any => true,
            Self::Some(tags) => tags.iter().any(|tag| tag == opaque),
        }
    }
}

/// The opaque tags of a list; `None` where it breaks the grammar (RFC 9110, sections 5.6.1 and 8.8.3).
fn read_tags(list: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (mut tags, mut rest) = (Vec::new(), list.trim_ascii());
    while !rest.is_empty() {
        // Empty elements mean nothing.
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let quoted = rest.strip_prefix(b"W/").unwrap_or(rest);
        let inside = quoted.strip_prefix(b"\"")?;
        let end = inside.iter().position(|byte| !matches!(byte, 0x21 | 0x23..=0x7e | 0x80..=0xff))?;
        if inside[end] != b'"' {
            return None;
        }
        tags.push(quoted[..end + 2].to_vec());
        rest = inside[end + 1..].trim_ascii_start();
        if !rest.is_empty() && rest[0] != b',' {
            return None;
        }
    }
    Some(tags)
}
#[cfg(test)]
mod tests {
    use super::*;

    fn knows(fields: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(IF_NONE_MATCH, field.parse().expect("a value"));
        }
        KnownTags::of(&headers).has(r#"W/"e-7""#)
    }

    #[test]
    fn compares_tags_weakly() {
        let known: [&[&str]; 9] = [
            &[r#"W/"e-7""#],
            &[r#""e-7""#],
            &["*"],
            &[" * "],
            &[r#""x" , W/"e-7""#],
            &[r#""x""#, r#"W/"e-7""#],
            &[r#",, "e-7",,"#],
            &[r#""a,b","e-7""#],
            &[r#""",W/"e-7""#],
        ];
        for fields in known {
            assert!(knows(fields), "{fields:?}");
        }
        let unknown: [&[&str]; 15] = [
            &[],
            &[""],
            &[r#"W/"e-8""#],
            &[r#"W/"e-77""#],
            &["e-7"],
            &["W/e-7"],
            &[r#"w/"e-7""#],
            &[r#"W/ "e-7""#],
            &[r#""e-7"#],
            &[r#""e-7" "x""#],
            &[r#"W/"e-7", x"#],
            &["*", r#""e-7""#],
            &[r#"*, "e-7""#],
            &[r#""x,"e-7""#],
            &[r#""e -7""#],
        ];
        for fields in unknown {
            assert!(!knows(fields), "{fields:?}");
        }
    }
}
