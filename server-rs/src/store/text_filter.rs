//! A Bloom filter of the trigrams of texts: whether any of them can contain a text (rule GET-13).
//!
//! A trigram is three bytes that follow each other, with ASCII letters in lower case, as the search compares them. Each sets
//! two bits. The filter halves while at most half of its bits are set, so that its size follows from the texts.

use crate::contract::TUNING;

/// Bits of a new filter. Both positions of a trigram have 16 bits.
const BITS: usize = 1 << 16;
/// Fewest bits of a filter.
const LEAST_BITS: usize = 512;

/// A filter that texts are added to.
#[derive(Debug)]
pub struct TextFilter {
    bytes: Vec<u8>,
}

impl Default for TextFilter {
    fn default() -> Self {
        Self { bytes: vec![0; BITS / 8] }
    }
}

impl TextFilter {
    /// Adds every trigram of a text.
    pub fn add(&mut self, text: &[u8]) {
        for hash in hashes(text) {
            for position in positions(hash, BITS) {
                self.bytes[position / 8] |= 1 << (position % 8);
            }
        }
    }

    /// Returns the filter in its smallest size; empty, which stands for any text, when too many bits are set.
    pub fn to_bytes(mut self) -> Vec<u8> {
        while self.bytes.len() > LEAST_BITS / 8 {
            let (low, high) = self.bytes.split_at(self.bytes.len() / 2);
            let half: Vec<u8> = low.iter().zip(high).map(|(low, high)| low | high).collect();
            if count(&half) > half.len() * 4 {
                break;
            }
            self.bytes = half;
        }
        let most = self.bytes.len() * 8 * TUNING.text_filter_percent / 100;
        if count(&self.bytes) > most { Vec::new() } else { self.bytes }
    }
}

/// The trigrams of a text that is searched for.
#[derive(Debug)]
pub struct WantedTrigrams(Vec<u32>);

impl WantedTrigrams {
    /// Returns those of a text.
    pub fn of(text: &str) -> Self {
        Self(hashes(text.as_bytes()).collect())
    }

    /// Returns whether a filter has all of them. An empty filter has.
    pub fn may_be_in(&self, filter: &[u8]) -> bool {
        let bits = filter.len() * 8;
        bits == 0
            || self.0.iter().all(|hash| {
                positions(*hash, bits).into_iter().all(|at| filter[at / 8] & (1 << (at % 8)) != 0)
            })
    }
}

/// Returns the number of bits that are set.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| byte.count_ones() as usize).sum()
}

/// Returns the positions of a trigram in a filter of so many bits, a power of two.
fn positions(hash: u32, bits: usize) -> [usize; 2] {
    [hash as usize & (bits - 1) & (BITS - 1), (hash >> 16) as usize & (bits - 1)]
}

/// Returns the hash of each trigram of a text.
fn hashes(text: &[u8]) -> impl Iterator<Item = u32> {
    text.windows(3).map(|three| {
        let three = three.iter().fold(0, |sum, byte| sum << 8 | u32::from(byte.to_ascii_lowercase()));
        // Steps of the finalizer of MurmurHash3, which is public domain.
        let mixed = three.wrapping_mul(0x9e37_79b1);
        let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
        mixed ^ (mixed >> 13)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_each_part_of_its_texts_and_few_others() {
        let texts: Vec<String> = (0..256)
            .map(|n: u64| format!(r#"{{"path":"src/File-{n}.rs","É":"{}"}}"#, n * 7_919 % 1_000))
            .collect();
        let mut filter = TextFilter::default();
        texts.iter().for_each(|text| filter.add(text.as_bytes()));
        let bytes = filter.to_bytes();
        assert!(bytes.len().is_power_of_two() && (64..=1024).contains(&bytes.len()), "{}", bytes.len());
        let has = |text: &str| WantedTrigrams::of(text).may_be_in(&bytes);
        for text in &texts {
            for (start, _) in text.char_indices() {
                for (end, _) in text.char_indices().filter(|(end, _)| *end >= start) {
                    assert!(has(&text[start..end].to_ascii_uppercase()), "{}", &text[start..end]);
                }
            }
        }
        let found = (0..1_000).filter(|n| has(&format!("zq{n}x"))).count();
        assert!(found < 200, "{found} of 1,000");
    }

    #[test]
    fn a_filter_of_too_much_has_everything() {
        let mut filter = TextFilter::default();
        let mut state = 7_u32;
        let random = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        });
        filter.add(&random.take(400_000).collect::<Vec<u8>>());
        assert_eq!(filter.to_bytes(), Vec::<u8>::new());
        assert!(WantedTrigrams::of("anything").may_be_in(&[]));
    }

    #[test]
    fn both_servers_make_the_same_filter() {
        let mut filter = TextFilter::default();
        for text in ["Read \"src/Ünit-😀.rs\"", "git push", "ab"] {
            filter.add(text.as_bytes());
        }
        let hex: String = filter.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = "0044010802028020900010200000000000000000440001400010082030020084\
                        241a00000028020000040010410010009020006000a240240400120000480440";
        assert_eq!(hex, expected);
    }
}
