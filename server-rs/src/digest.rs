//! Encodes a SHA-256 as text: lower-case hexadecimal for names, base64 for `Content-Digest`. Pure.

use crate::text::hex_value;

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// Encodes a digest as a name: 64 lower-case hexadecimal digits.
pub fn digest_hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes the digest of a name; `None` for any other text.
pub fn parse_digest(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 2 * digest.len() || text.bytes().any(|digit| digit.is_ascii_uppercase()) {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = hex_value(pair[0])? << 4 | hex_value(pair[1])?;
    }
    Some(digest)
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes a digest in base64 with padding (RFC 4648, section 4).
pub fn digest_base64(digest: &Digest) -> String {
    let mut text = String::with_capacity(44);
    for chunk in digest.chunks(3) {
        let place = |at: usize| chunk.get(at).copied().map_or(0, u32::from);
        let bits = place(0) << 16 | place(1) << 8 | place(2);
        for sextet in 0..4 {
            let index = (bits >> (18 - 6 * sextet) & 0x3f) as usize;
            text.push(if sextet <= chunk.len() { char::from(ALPHABET[index]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of an empty input (FIPS 180-4).
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_digest_name_has_64_lower_case_digits() {
        let digest = parse_digest(EMPTY).expect("a name");
        assert_eq!(digest_hex(&digest), EMPTY);
        for bad in ["", &EMPTY[1..], &format!("{EMPTY}0"), &EMPTY.to_uppercase(), &EMPTY.replace('e', "g")] {
            assert_eq!(parse_digest(bad), None, "{bad}");
        }
        assert_eq!(parse_digest(&"é".repeat(32)), None);
    }

    #[test]
    fn a_base64_digest_ends_with_padding() {
        let digest = parse_digest(EMPTY).expect("a name");
        assert_eq!(digest_base64(&digest), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(digest_base64(&[0xff; 32]), format!("{}8=", "/".repeat(42)));
    }
}
