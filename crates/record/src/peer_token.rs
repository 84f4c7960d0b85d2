//! The identification of a peer in a journal: bytes that only the transport which wrote them can interpret.

/// Identifies a peer across connections and server restarts, so that a returning player is the same
/// player. The bytes are opaque here; a transport defines their meaning (for UDP see
/// `docs/recording.md`).
///
/// ```
/// use nuggets_record::PeerToken;
///
/// assert_eq!(PeerToken::new(b"web 7f3a").unwrap().as_bytes(), b"web 7f3a");
/// assert!(PeerToken::new(b"").is_none());
/// assert!(PeerToken::new(&[1; 256]).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerToken(Box<[u8]>);

impl PeerToken {
    /// The maximum length of a token, so that one byte holds the length.
    pub const MAX_BYTES: usize = 255;

    /// A token of these bytes; `None` if there are no bytes or too many.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        (1..=Self::MAX_BYTES).contains(&bytes.len()).then(|| Self(bytes.into()))
    }

    /// The bytes as the transport chose them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}
