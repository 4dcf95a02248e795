//! Issues and takes the login code, which opens one window instead of the token (rule SEC-09).
//!
//! Holds only its digest. Reads no clock: the caller passes the time.

use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::contract::LIMITS;
use crate::secret::random_secret;

/// The code that was issued last and not taken.
#[derive(Debug, Default)]
pub struct LoginCode(Mutex<Option<Issued>>);

#[derive(Debug)]
struct Issued {
    digest: [u8; 32],
    /// In Unix seconds.
    expiry_s: u64,
}

impl LoginCode {
    /// Returns a new code; an earlier one is no longer valid.
    pub fn issue(&self, now_s: u64) -> std::io::Result<String> {
        let code = random_secret()?;
        let digest = Sha256::digest(code.as_bytes()).into();
        *self.held() = Some(Issued { digest, expiry_s: now_s + LIMITS.login_code_s });
        Ok(code)
    }

    /// Returns whether a text is the code. The code is valid once.
    pub fn take(&self, text: &str, now_s: u64) -> bool {
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let is_code = |issued: &mut Issued| {
            now_s < issued.expiry_s && bool::from(issued.digest.as_slice().ct_eq(digest.as_slice()))
        };
        self.held().take_if(is_code).is_some()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<Issued>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_S: u64 = 1_790_000_000;

    #[test]
    fn a_code_is_valid_once() {
        let codes = LoginCode::default();
        assert!(!codes.take("", NOW_S), "no code was issued");
        let code = codes.issue(NOW_S).expect("the system has random numbers");
        assert_eq!(code.len(), 43);
        assert!(!codes.take("x", NOW_S) && !codes.take(&code[..42], NOW_S));
        assert!(codes.take(&code, NOW_S), "a wrong code leaves it valid");
        assert!(!codes.take(&code, NOW_S));
    }

    #[test]
    fn a_code_expires() {
        let codes = LoginCode::default();
        let code = codes.issue(NOW_S).expect("the system has random numbers");
        assert!(!codes.take(&code, NOW_S + LIMITS.login_code_s));
        assert!(codes.take(&code, NOW_S + LIMITS.login_code_s - 1));
    }

    #[test]
    fn a_new_code_replaces_the_earlier_one() {
        let codes = LoginCode::default();
        let issue = || codes.issue(NOW_S).expect("the system has random numbers");
        let (first, second) = (issue(), issue());
        assert_ne!(first, second);
        assert!(!codes.take(&first, NOW_S) && codes.take(&second, NOW_S));
    }
}
