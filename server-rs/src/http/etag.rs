//! Writes the entity tags of snapshots, and reads those of a client's request (rules SYN-05, SYN-06 and ATT-08).
//!
//! Pure.

use http::header::{HeaderMap, IF_NONE_MATCH};

/// Returns the tag of a state. It is weak, since time alone changes some bytes of a state without a new revision (RFC
/// 9110, section 8.8.1).
pub(super) fn etag_of(epoch: &str, revision: i64) -> String {
    format!("W/\"{epoch}-{revision}\"")
}

/// The revisions that a client holds.
pub(super) enum KnownRevisions {
    /// Any revision (`*`).
    Any,
    /// These tags, as sent.
    Some(Vec<Vec<u8>>),
}

impl KnownRevisions {
    /// Returns whether this revision is among them.
    pub(super) fn has(&self, revision: i64) -> bool {
        match self {
            Self::Any => true,
            Self::Some(revisions) => {
                let mut digits = itoa::Buffer::new();
                let wanted = digits.format(revision).as_bytes();
                revisions.iter().any(|known| known == wanted)
            }
        }
    }
}

/// Returns the revisions of this epoch in `If-None-Match` (RFC 9110, section 13.1.2). The comparison is weak: it
/// ignores whether a tag is weak (section 8.8.3.2). A malformed list has no tags.
pub(super) fn known_revisions(headers: &HeaderMap, epoch: &str) -> KnownRevisions {
    let list = list_of(headers);
    if list.trim_ascii() == b"*" {
        return KnownRevisions::Any;
    }
    let prefix = format!("{epoch}-");
    let tags = read_tags(&list).unwrap_or_default().into_iter();
    let revisions = tags.filter_map(|tag| tag.strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec));
    KnownRevisions::Some(revisions.collect())
}

/// Returns whether a client holds the bytes of this strong tag (rule ATT-08). The comparison is weak here
/// too.
pub(super) fn has_etag(headers: &HeaderMap, etag: &str) -> bool {
    let list = list_of(headers);
    let opaque = etag.trim_matches('"').as_bytes();
    list.trim_ascii() == b"*" || read_tags(&list).unwrap_or_default().contains(&opaque)
}

/// Returns the whole of `If-None-Match`: several fields are one list (RFC 9110, section 5.3).
fn list_of(headers: &HeaderMap) -> Vec<u8> {
    let fields: Vec<&[u8]> = headers.get_all(IF_NONE_MATCH).iter().map(|value| value.as_bytes()).collect();
    fields.join(&b", "[..])
}

/// Returns the opaque tags of a list without their quotes; `None` for a malformed list (RFC 9110, sections 5.6.1 and
/// 8.8.3).
fn read_tags(list: &[u8]) -> Option<Vec<&[u8]>> {
    let (mut tags, mut rest) = (Vec::new(), list.trim_ascii());
    while !rest.is_empty() {
        // Empty elements are ignored.
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
        tags.push(&inside[..end]);
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
        known_revisions(&headers, "e").has(7)
    }

    #[test]
    fn tags_are_compared_weakly() {
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
