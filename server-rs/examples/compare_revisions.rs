//! How many revisions a second are compared, in four classes of inputs: what `pnpm bench:sync` runs for Rust.
//!
//! A revision is the canonical decimal text of an unsigned 64-bit integer (contract, SYN-01), and is compared as text:
//! the longer is the larger, and of equal lengths the bytes decide. Prints one line of JSON: for each class, millions a
//! second in each round. What must stay true: every result is used, and no input is known when this is compiled.

use std::cmp::Ordering;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Pairs that are compared in turn: more than a branch predictor learns by heart, fewer than a cache holds.
const PAIRS: usize = 1024;

/// Of 2^64-1.
const MOST_DIGITS: usize = 20;

/// Whether a text is a revision: `0`, or digits without a leading zero, at most 2^64-1.
///
/// Costs no more for a long text than for a short one.
fn is_revision(text: &str) -> bool {
    let is_canonical = text == "0" || !text.starts_with('0');
    text.len() <= MOST_DIGITS
        && is_canonical
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u64>().is_ok()
}

/// As their numbers would compare. Both are revisions.
fn compare_revisions(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

/// By class: what is the same, what differs in length, in the first digit, and in the last one.
fn classes() -> [(&'static str, Vec<(String, String)>); 4] {
    let pairs = |of: &dyn Fn(u64) -> (u64, u64)| {
        let texts = (0..PAIRS as u64).map(|i| {
            let (a, b) = of(i);
            // Either is the larger in turn.
            let (a, b) = if i % 3 == 0 { (b, a) } else { (a, b) };
            (a.to_string(), b.to_string())
        });
        texts.collect::<Vec<_>>()
    };
    let large = |i: u64| 18_000_000_000_000_000_000 + i * 10;
    [
        ("equal", pairs(&|i| (large(i), large(i)))),
        ("length", pairs(&|i| (large(i), large(i) / 10))),
        ("first digit", pairs(&|i| (9_000_000_000_000_000_000 + i, 8_000_000_000_000_000_000 + i))),
        ("last digit", pairs(&|i| (large(i), large(i) + 1))),
    ]
}

/// Millions a second over at least `least`.
fn measure(pairs: &[(String, String)], least: Duration) -> f64 {
    let from = Instant::now();
    let mut compared = 0_u64;
    let mut sum = 0_i64;
    while from.elapsed() < least {
        for (a, b) in black_box(pairs) {
            sum += compare_revisions(a, b) as i64;
        }
        compared += pairs.len() as u64;
    }
    black_box(sum);
    compared as f64 / from.elapsed().as_secs_f64() / 1e6
}

/// Rounds, and milliseconds of each.
fn arguments() -> Option<(usize, u64)> {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next()?.parse().ok()?;
    let milliseconds = arguments.next()?.parse().ok()?;
    arguments.next().is_none().then_some((rounds, milliseconds))
}

fn main() -> Result<(), String> {
    let (rounds, milliseconds) = arguments().ok_or("usage: compare_revisions ROUNDS MILLISECONDS")?;
    let least = Duration::from_millis(milliseconds);
    let mut found = Vec::new();
    for (name, pairs) in classes() {
        if !pairs.iter().all(|(a, b)| is_revision(a) && is_revision(b)) {
            return Err(format!("{name} holds what is no revision"));
        }
        measure(&pairs, least);
        let values: Vec<f64> = (0..rounds).map(|_| measure(&pairs, least)).collect();
        // A list of finite numbers is printed as JSON has it.
        found.push(format!("\"{name}\":{values:?}"));
    }
    println!("{{{}}}", found.join(","));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_compare_as_their_numbers_do() {
        let numbers = [0, 1, 9, 10, 11, 99, 100, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX];
        for a in numbers {
            for b in numbers {
                assert_eq!(compare_revisions(&a.to_string(), &b.to_string()), a.cmp(&b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn only_canonical_texts_of_64_bits_are_revisions() {
        let texts =
            ["0", "1", "9", "10", "42", "9007199254740993", "9223372036854775807", "9223372036854775808"];
        for text in texts.into_iter().chain(["18446744073709551614", "18446744073709551615"]) {
            assert!(is_revision(text), "{text}");
        }
    }

    #[test]
    fn random_texts_compare_as_their_numbers_do() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Of every length.
            state >> (state & 63)
        };
        for _ in 0..10_000 {
            let (a, b) = (random(), random());
            assert_eq!(compare_revisions(&a.to_string(), &b.to_string()), a.cmp(&b), "{a} and {b}");
        }
    }

    /// The same texts as in the client's test of the same rule.
    #[test]
    fn nothing_else_is() {
        let spaced = ["", " ", " 1", "1 ", "1\n", "\t1", "\u{feff}1"];
        let signed = ["-0", "-1", "+1", "00", "01", "007", "1.0", "1e3", "0x1", "1_000", "1,000"];
        let other = ["\u{661}", "\u{ff11}", "NaN", "abc", "12a"];
        let large = ["18446744073709551616", "99999999999999999999", "100000000000000000000"];
        let long = "1".repeat(1_000_000);
        for text in spaced.iter().chain(&signed).chain(&other).chain(&large).chain([&long.as_str()]) {
            assert!(!is_revision(text), "{:?}", text.get(..30).unwrap_or(text));
        }
    }

    #[test]
    fn they_compare_beyond_what_a_double_tells_apart() {
        let vectors = [
            ("0", "0", Ordering::Equal),
            ("9", "10", Ordering::Less),
            ("10", "9", Ordering::Greater),
            ("99", "100", Ordering::Less),
            ("42", "17", Ordering::Greater),
            ("1000", "1000", Ordering::Equal),
            ("9007199254740992", "9007199254740993", Ordering::Less),
            ("9223372036854775807", "9223372036854775808", Ordering::Less),
            ("18446744073709551614", "18446744073709551615", Ordering::Less),
            ("18446744073709551615", "18446744073709551615", Ordering::Equal),
            ("0", "18446744073709551615", Ordering::Less),
        ];
        for (a, b, expected) in vectors {
            assert_eq!(compare_revisions(a, b), expected, "{a} and {b}");
            assert_eq!(compare_revisions(b, a), expected.reverse(), "{b} and {a}");
        }
    }

    #[test]
    fn each_class_holds_what_it_says() {
        for (name, pairs) in classes() {
            assert_eq!(pairs.len(), PAIRS);
            for (a, b) in pairs {
                assert!(is_revision(&a) && is_revision(&b), "{a} and {b}");
                let differs_at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b);
                match name {
                    "equal" => assert_eq!(a, b),
                    "length" => assert_ne!(a.len(), b.len()),
                    "first digit" => assert_eq!((a.len(), differs_at), (b.len(), Some(0))),
                    _ => assert_eq!((a.len(), differs_at), (b.len(), Some(19))),
                }
            }
        }
    }
}
