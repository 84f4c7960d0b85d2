//! Certificates for TLS tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A self-signed certificate and its private key, both as PEM files.
#[derive(Clone, Debug)]
pub struct SelfSigned {
    /// The certificate.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl SelfSigned {
    /// Creates a certificate in a folder, for a name such as `DNS:localhost` or `IP:127.0.0.1`.
    pub fn create(folder: &Path, file: &str, name: &str) -> Self {
        let made = Self {
            cert: folder.join(format!("{file}.crt")),
            key: folder.join(format!("{file}.key")),
        };
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=test"]);
        openssl.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-addext").arg(format!("subjectAltName={name}"));
        let output = openssl.arg("-keyout").arg(&made.key).arg("-out").arg(&made.cert).output();
        let output = output.expect("openssl makes certificates");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        made
    }
}
