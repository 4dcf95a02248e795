//! Tests whether a run may hold a key, by a split block Bloom filter over 128-bit keys. So a new key reads no block of
//! any run.
//!
//! The filter is Parquet's (<https://parquet.apache.org/docs/file-format/bloomfilter/>): blocks of eight 32-bit
//! words, and one bit per word for each key. The file stores it, so both servers must compute the same bits for a
//! key.

use crate::contract::TUNING;

const WORDS: usize = 8;
const BLOCK_BITS: u64 = 256;

/// Parquet's odd multipliers, one for each word of a block.
const SALTS: [u32; WORDS] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];
/// Odd multipliers of the four words of a key, in two orders; xxHash's primes.
const PRIMES: [u32; 4] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f];

/// Two independent hashes of a key: one selects the block, one the bits in it.
#[derive(Debug, Clone, Copy)]
pub struct KeyHash {
    block: u32,
    bits: u32,
}

impl KeyHash {
    /// Ids that grow with time differ in few bits, so every word contributes to both hashes.
    pub fn new(key: u128) -> Self {
        let words = [(key >> 96) as u32, (key >> 64) as u32, (key >> 32) as u32, key as u32];
        let sum = |turn: usize| {
            words.iter().enumerate().fold(0_u32, |sum, (at, word)| {
                sum.wrapping_add(word.wrapping_mul(PRIMES[(at + turn) % PRIMES.len()]))
            })
        };
        Self { block: mix(sum(0)), bits: mix(sum(2)) }
    }
}

/// Applies MurmurHash3's finalizer: every bit of the input changes every bit of the output with even odds.
fn mix(mut hash: u32) -> u32 {
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The filter of one run.
#[derive(Debug)]
pub struct KeyFilter {
    words: Vec<u32>,
}

impl KeyFilter {
    /// Creates an empty filter for this many keys.
    pub fn for_keys(count: i64) -> Self {
        let blocks = (count.unsigned_abs() * TUNING.event_key_filter_bits).div_ceil(BLOCK_BITS).max(1);
        Self { words: vec![0; usize::try_from(blocks).unwrap_or(usize::MAX) * WORDS] }
    }

    /// Reads a stored filter; `None` when the bytes cannot be one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<4>();
        let whole = rest.is_empty() && !words.is_empty() && words.len().is_multiple_of(WORDS);
        whole.then(|| Self { words: words.iter().map(|word| u32::from_le_bytes(*word)).collect() })
    }

    /// Returns the stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Adds a key.
    pub fn insert(&mut self, hash: KeyHash) {
        let at = self.block_of(hash);
        for (word, salt) in self.words[at..at + WORDS].iter_mut().zip(SALTS) {
            *word |= bit(hash, salt);
        }
    }

    /// Returns `false` when the key is not in the run, and `true` when it may be.
    pub fn may_contain(&self, hash: KeyHash) -> bool {
        let at = self.block_of(hash);
        self.words[at..at + WORDS].iter().zip(SALTS).all(|(word, salt)| word & bit(hash, salt) != 0)
    }

    fn block_of(&self, hash: KeyHash) -> usize {
        let blocks = (self.words.len() / WORDS) as u64;
        ((u64::from(hash.block) * blocks) >> 32) as usize * WORDS
    }
}

fn bit(hash: KeyHash, salt: u32) -> u32 {
    1 << (hash.bits.wrapping_mul(salt) >> 27)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a key that is spread like a random one, and equal in both servers.
    fn key(n: u128) -> u128 {
        n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    #[test]
    fn the_filter_finds_its_keys_and_few_others() {
        let mut filter = KeyFilter::for_keys(10_000);
        (0..10_000).for_each(|n| filter.insert(KeyHash::new(key(n))));
        assert!((0..10_000).all(|n| filter.may_contain(KeyHash::new(key(n)))));
        let wrong = (10_000..110_000).filter(|n| filter.may_contain(KeyHash::new(key(*n)))).count();
        assert!(wrong < 500, "{wrong} of 100,000");
    }

    #[test]
    fn ascending_ids_spread_like_random_ones() {
        for shift in [0, 32, 64, 96] {
            let mut filter = KeyFilter::for_keys(10_000);
            (0..10_000_u128).for_each(|n| filter.insert(KeyHash::new(n << shift)));
            let wrong =
                (10_000..110_000_u128).filter(|n| filter.may_contain(KeyHash::new(n << shift))).count();
            assert!(wrong < 500, "{wrong} of 100,000 at {shift}");
        }
    }

    #[test]
    fn the_stored_filter_has_the_same_bytes_in_both_servers() {
        let mut filter = KeyFilter::for_keys(16);
        (1..=3).for_each(|n| filter.insert(KeyHash::new(key(n))));
        let bytes = filter.to_bytes();
        assert_eq!(bytes.len(), 32);
        let again = KeyFilter::from_bytes(&bytes);
        assert!(again.is_some_and(|again| (1..=3).all(|n| again.may_contain(KeyHash::new(key(n))))));
        assert!(KeyFilter::from_bytes(&bytes[..31]).is_none());
        assert!(KeyFilter::from_bytes(&[]).is_none());
    }
}
