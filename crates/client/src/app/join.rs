//! What a client wants of whom: the server's place, and the name to play under.

/// What to ask of whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The server's host, as the person gave it.
    pub host: String,
    /// The server's port.
    pub port: u16,
    /// The name to play under; without one we only watch.
    pub name: Option<Vec<u8>>,
}

impl Join {
    /// Host and port in one word.
    pub fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether we only watch.
    pub fn is_spectator(&self) -> bool {
        self.name.is_none()
    }
}
