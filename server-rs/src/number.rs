//! Reads and prints numbers as the contract defines: the nearest IEEE 754 double of their text, printed the
//! ECMAScript way.
//!
//! Pure. Amounts of money are whole nano-dollars, so that sums do not depend on their order (rule EVT-07).

use crate::contract::LIMITS;

/// Returns the value of a JSON number token (rule EVT-11). A token that is too large for a double is infinite.
pub fn parse_number(token: &str) -> f64 {
    // The scanner has checked the grammar, which is a subset of what `f64` reads.
    token.parse().unwrap_or(f64::NAN)
}

/// Parses a whole number from 0 to 2^53-1 in any spelling; -0 is 0.
pub fn parse_integer(token: &str) -> Option<i64> {
    // Shortcut for the usual spelling: a number of at most fifteen digits is below the limit and exact as a
    // double.
    if token.len() <= 15 && token.bytes().all(|byte| byte.is_ascii_digit()) {
        return token.parse().ok();
    }
    let value = parse_number(token);
    #[expect(clippy::cast_precision_loss, reason = "2^53-1 is a double")]
    let whole = value >= 0.0 && value.fract() == 0.0 && value <= LIMITS.max_integer as f64;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and below 2^53")]
    whole.then_some(value as i64)
}

/// Returns the nano-dollars of an amount: the IEEE product with 10^9, rounded half to even. The amount is
/// from 0 to a million.
pub fn nanos_from_usd(usd: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 10^15")]
    let nanos = (usd * 1e9).round_ties_even() as i64;
    nanos
}

/// Appends a number the ECMAScript way (ECMA-262, `Number::toString`).
pub fn print_number(out: &mut Vec<u8>, value: f64) {
    out.extend_from_slice(ryu_js::Buffer::new().format(value).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_recognised_in_every_spelling() {
        let cases = [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("-0.0", Some(0)),
            ("1.0", Some(1)),
            ("1e2", Some(100)),
            ("9007199254740991", Some(9_007_199_254_740_991)),
            ("9007199254740991.4", Some(9_007_199_254_740_991)),
            ("9007199254740991.6", None),
            ("9007199254740992", None),
            ("1.5", None),
            ("-1", None),
            ("1e400", None),
            ("1e-400", Some(0)),
        ];
        for (token, expected) in cases {
            assert_eq!(parse_integer(token), expected, "{token}");
        }
    }

    #[test]
    fn nano_dollars_round_half_to_even() {
        for (usd, nanos) in
            [(0.1, 100_000_000), (5e-10, 0), (1.5e-9, 2), (2.5e-9, 2), (1e6, 1_000_000_000_000_000)]
        {
            assert_eq!(nanos_from_usd(usd), nanos, "{usd}");
        }
    }

    #[test]
    fn numbers_print_as_in_ecmascript() {
        for (value, text) in
            [(5.0, "5"), (1e-7, "1e-7"), (0.000_001, "0.000001"), (1e21, "1e+21"), (-0.0, "0")]
        {
            let mut out = Vec::new();
            print_number(&mut out, value);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }
}
