//! Password hashing with argon2id. It takes much time and memory on purpose, so callers run it outside of the store's
//! threads and limit the number of concurrent calls.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};

use super::{AccountError, MAX_PASSWORD_BYTES, MIN_PASSWORD_CHARS, StoreError};

/// A hash whose password is unknown: checked for unknown names, so that they take as long as a wrong password.
const UNKNOWN: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCE$kWYHYb4cMkn8nCyB5UFE4ZI9m4kJfm1yzAmG1A4O4T0";

/// Rejects passwords that are too short or too long.
pub(super) fn ensure_usable(password: &str) -> Result<(), AccountError> {
    if password.chars().count() < MIN_PASSWORD_CHARS {
        return Err(AccountError::ShortPassword);
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(AccountError::LongPassword);
    }
    Ok(())
}

/// Returns the hash to store, a PHC string: 19 MiB, two passes, one lane.
pub(super) fn hash(password: &str, salt: [u8; 16]) -> Result<String, StoreError> {
    let failed = |why: argon2::password_hash::Error| StoreError::Hash(why.to_string());
    let salt = SaltString::encode_b64(&salt).map_err(failed)?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt).map_err(failed)?;
    Ok(hash.to_string())
}

/// True if the password matches the hash. Without a hash it takes as long and returns false.
pub(super) fn is_right(password: &str, hash: Option<&str>) -> bool {
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(UNKNOWN)) else { return false };
    let is_equal = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
    is_equal && hash.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_password_is_right() {
        let hash = hash("correct horse", [7; 16]).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(is_right("correct horse", Some(&hash)));
        assert!(!is_right("correct horsf", Some(&hash)));
        assert!(!is_right("correct horse", Some("damaged")));
        assert!(!is_right("correct horse", None));
    }

    #[test]
    fn the_hash_of_nobody_is_as_slow_as_any_other() {
        let unknown = PasswordHash::new(UNKNOWN).unwrap();
        let hash = hash("correct horse", [7; 16]).unwrap();
        let usual = PasswordHash::new(&hash).unwrap();
        assert_eq!(unknown.params, usual.params);
        assert_eq!(unknown.hash.unwrap().len(), usual.hash.unwrap().len());
    }

    #[test]
    fn a_password_has_8_characters_and_no_more_than_256_bytes() {
        assert!(matches!(ensure_usable("seven77"), Err(AccountError::ShortPassword)));
        assert!(
            matches!(ensure_usable("äöüß"), Err(AccountError::ShortPassword)),
            "8 bytes, 4 characters"
        );
        assert!(ensure_usable("eight888").is_ok());
        assert!(ensure_usable(&"x".repeat(256)).is_ok());
        assert!(matches!(ensure_usable(&"x".repeat(257)), Err(AccountError::LongPassword)));
    }
}
