//! Reads `Content-Digest` (rule ATT-05; RFC 9530). Pure.

use http::header::{HeaderMap, HeaderName};

use crate::digest::{Digest, digest_base64};
use crate::error::{ErrorCode, Failure};

const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// Returns the declared SHA-256 of a body, in base64; `None` when the header is absent.
pub fn declared_digest(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let mut declared = None;
    for value in headers.get_all(CONTENT_DIGEST) {
        let value = value.to_str().map_err(|_| ErrorCode::BadRequest)?;
        for member in value.split(',') {
            let (algorithm, digest) = parse_member(member).ok_or(ErrorCode::BadRequest)?;
            if algorithm == "sha-256" {
                // Of equal keys the last counts (RFC 8941, section 3.2).
                declared = Some(digest.to_owned());
            }
        }
    }
    Ok(declared)
}

/// Fails when the bytes do not have the declared digest.
pub fn check_digest(declared: Option<&str>, digest: &Digest) -> Result<(), Failure> {
    if declared.is_none_or(|declared| declared == digest_base64(digest)) {
        Ok(())
    } else {
        Err(ErrorCode::DigestMismatch.into())
    }
}

/// Parses `algorithm=:BASE64:` (RFC 8941, sections 3.2 and 3.3.5).
fn parse_member(member: &str) -> Option<(&str, &str)> {
    let (algorithm, value) = member.trim_matches([' ', '\t']).split_once('=')?;
    let digest = value.strip_prefix(':')?.strip_suffix(':')?;
    let is_key = algorithm.starts_with(|first: char| first.is_ascii_lowercase() || first == '*')
        && algorithm
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'));
    let digits = digest.strip_suffix("==").or(digest.strip_suffix('=')).unwrap_or(digest);
    let is_base64 = digest.len().is_multiple_of(4)
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    (is_key && is_base64).then_some((algorithm, digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(fields: &[&str]) -> Result<Option<String>, ErrorCode> {
        let mut headers = HeaderMap::new();
        for field in fields {
            headers.append(CONTENT_DIGEST, field.parse().expect("a value"));
        }
        declared_digest(&headers).map_err(|failure| failure.code)
    }

    #[test]
    fn the_last_sha_256_counts_and_other_algorithms_are_ignored() {
        let found = |digest: &str| Ok(Some(digest.to_owned()));
        assert_eq!(declared(&[]), Ok(None));
        assert_eq!(declared(&["sha-512=:AAAA:, *x.y_z-1=::"]), Ok(None));
        assert_eq!(declared(&["sha-256=:AAAA:"]), found("AAAA"));
        assert_eq!(declared(&["sha-256=:AAAA:\t, sha-512=:AA==:", "sha-256=:AAA=:"]), found("AAA="));
    }

    #[test]
    fn a_header_that_is_not_a_list_of_byte_sequences_is_refused() {
        for bad in [
            "",
            ",",
            "sha-256=:AAAA:,",
            "sha-256",
            "sha-256=",
            "sha-256=AAAA",
            "sha-256=:AAAA",
            "sha-256=:AAA:",
            "sha-256=:A===:",
            "sha-256=:AA=A:",
            "sha-256=:AA-_:",
            "sha-256=:AAAA:;q=1",
            "SHA-256=:AAAA:",
            "1a=:AAAA:",
            "sha-256 =:AAAA:",
            "sha-256= :AAAA:",
            "=:AAAA:",
        ] {
            assert_eq!(declared(&[bad]), Err(ErrorCode::BadRequest), "{bad}");
        }
    }

    #[test]
    fn a_digest_has_exactly_one_accepted_form() {
        let digest = [0; 32];
        assert!(check_digest(None, &digest).is_ok());
        assert!(check_digest(Some(&digest_base64(&digest)), &digest).is_ok());
        for other in ["", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB="] {
            assert!(check_digest(Some(other), &digest).is_err(), "{other}");
        }
    }
}
