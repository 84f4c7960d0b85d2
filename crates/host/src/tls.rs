//! TLS of the host: builds rustls configurations from PEM files, for browsers, other nodes and the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use thiserror::Error;

use crate::TlsFiles;

/// A PEM file that can't be used.
#[derive(Debug, Error)]
#[error("can't use '{}' for TLS: {why}", path.display())]
pub struct TlsFileError {
    path: PathBuf,
    why: String,
}

impl TlsFileError {
    fn new(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self { path: path.into(), why: why.to_string() }
    }
}

/// Returns the cryptography provider of all connections.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Reads the root certificates of a file, or of the system if none is given.
pub(crate) fn roots(file: Option<&Path>) -> Result<RootCertStore, TlsFileError> {
    let mut roots = RootCertStore::empty();
    let Some(path) = file else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|why| TlsFileError::new(path, &why))?;
    }
    Ok(roots)
}

/// Builds a client configuration that trusts these roots and presents a certificate if the server requests one.
pub(crate) fn client_config(
    roots: RootCertStore,
    shown: Option<&TlsFiles>,
) -> Result<ClientConfig, TlsFileError> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has these versions")
        .with_root_certificates(roots);
    match shown {
        None => Ok(builder.with_no_client_auth()),
        Some(files) => builder
            .with_client_auth_cert(certificates(&files.cert)?, key(&files.key)?)
            .map_err(|why| TlsFileError::new(&files.key, &why)),
    }
}

/// Builds a server configuration with this certificate. With the authority of nodes, a client may present a certificate;
/// one that the authority has not signed is rejected.
pub(crate) fn server_config(
    files: &TlsFiles,
    node_ca: Option<&Path>,
) -> Result<Arc<ServerConfig>, TlsFileError> {
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has these versions");
    let builder = match node_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let nodes = Arc::new(roots(Some(path))?);
            let verifier = WebPkiClientVerifier::builder_with_provider(nodes, provider());
            let verifier = verifier.allow_unauthenticated().build();
            builder
                .with_client_cert_verifier(verifier.map_err(|why| TlsFileError::new(path, &why))?)
        }
    };
    let mut config = builder
        .with_single_cert(certificates(&files.cert)?, key(&files.key)?)
        .map_err(|why| TlsFileError::new(&files.key, &why))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsFileError> {
    let read: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|why| TlsFileError::new(path, &why))?;
    if read.is_empty() {
        return Err(TlsFileError::new(path, &"it has no certificate in PEM format"));
    }
    Ok(read)
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsFileError> {
    PrivateKeyDer::from_pem_file(path).map_err(|why| TlsFileError::new(path, &why))
}
