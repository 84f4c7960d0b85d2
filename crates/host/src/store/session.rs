//! The login session of a browser: the token in its cookie. Only its SHA-256 hash is stored.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use thiserror::Error;

/// A secret that proves the identity of a person: 256 random bits. It is never printed, so that it can't get into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken([u8; 32]);

/// The error for a text that is not a session token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a session token")]
pub struct BadSessionToken;

impl SessionToken {
    /// Creates a token from random bytes.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the text for the cookie: 64 hexadecimal digits.
    pub fn secret_text(&self) -> String {
        let digit = |nibble| char::from_digit(u32::from(nibble), 16).expect("below 16");
        self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    /// Returns the SHA-256 hash, which is stored in place of the token.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(…)")
    }
}

impl FromStr for SessionToken {
    type Err = BadSessionToken;

    fn from_str(text: &str) -> Result<Self, BadSessionToken> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(BadSessionToken),
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(BadSessionToken);
        }
        let mut bytes = [0; 32];
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back_from_its_cookie() {
        let token =
            SessionToken::from_random(std::array::from_fn(|i| u8::try_from(i * 7).unwrap()));
        assert_eq!(token.secret_text().parse(), Ok(token.clone()));
        assert_eq!(token.secret_text().len(), 64);
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let good = SessionToken::from_random([0xab; 32]).secret_text();
        for bad in [
            "",
            "ab",
            &good[1..],
            &format!("{good}0"),
            &good.replacen('a', "g", 1),
            &good.to_uppercase(),
        ] {
            assert_eq!(bad.parse::<SessionToken>(), Err(BadSessionToken), "{bad}");
        }
    }

    #[test]
    fn a_token_is_printed_nowhere() {
        let token = SessionToken::from_random([0xab; 32]);
        assert!(!format!("{token:?}").contains("ab"));
    }
}
