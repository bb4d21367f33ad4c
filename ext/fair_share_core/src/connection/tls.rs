//! TLS, by rustls. Each call names its crypto provider, because the process-wide one belongs to the application.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{ring, verify_tls12_signature, verify_tls13_signature, CryptoProvider};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use rustls_native_certs::{load_certs_from_paths, load_native_certs};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use super::socket::Socket;
use super::Tls;
use crate::error::{Error, Result};

pub(super) fn config(tls: &Tls) -> Result<Arc<ClientConfig>> {
    if let Some(config) = tls.prepared.0.get() {
        return Ok(Arc::clone(config));
    }
    // Build outside the cell: if the process forked meanwhile, the child would inherit a cell that stays locked for ever.
    let config = Arc::new(build(tls)?);
    let _ = tls.prepared.0.set(Arc::clone(&config));
    Ok(config)
}

fn build(tls: &Tls) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable("the TLS versions", error))?;
    let builder = if tls.verify {
        builder.with_root_certificates(roots(tls)?)
    } else {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
    };
    match (&tls.cert, &tls.key) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(cert), Some(key)) => {
            let certs = CertificateDer::pem_slice_iter(cert)
                .collect::<std::result::Result<Vec<_>, _>>()
                .map_err(|error| unusable("the client's certificate", error))?;
            let key = PrivateKeyDer::from_pem_slice(key)
                .map_err(|error| unusable("the client's key", error))?;
            builder
                .with_client_auth_cert(certs, key)
                .map_err(|error| unusable("the client's certificate and key", error))
        }
        _ => Err(Error::Argument(
            "TLS: a client certificate needs both cert and key; only one is set".into(),
        )),
    }
}

fn roots(tls: &Tls) -> Result<RootCertStore> {
    let (found, source) = match (&tls.ca_file, &tls.ca_path) {
        (None, None) => (load_native_certs(), "the system's store".to_owned()),
        (file, folder) => {
            let named = [file, folder].into_iter().flatten();
            let names: Vec<_> = named.map(|path| path.display().to_string()).collect();
            (
                load_certs_from_paths(file.as_deref(), folder.as_deref()),
                names.join(" and "),
            )
        }
    };
    let mut roots = RootCertStore::empty();
    // A system's store often has one unreadable certificate among a hundred. Use the others.
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added > 0 {
        return Ok(roots);
    }
    let reason = found
        .errors
        .first()
        .map_or("none found".to_owned(), ToString::to_string);
    Err(Error::Argument(format!(
        "TLS: no usable CA certificate in {source}: {reason}"
    )))
}

fn unusable(what: &str, reason: impl std::fmt::Display) -> Error {
    Error::Argument(format!("TLS: can't use {what}: {reason}"))
}

/// Dropped without a close_notify, which in a forked child would end the parent's session.
#[derive(Debug)]
pub(super) struct TlsStream {
    pub(super) socket: Socket,
    session: ClientConnection,
}

impl TlsStream {
    pub(super) fn open(
        socket: Socket,
        config: Arc<ClientConfig>,
        server_name: &str,
    ) -> io::Result<Self> {
        let name = ServerName::try_from(server_name.to_owned()).map_err(io::Error::other)?;
        let session = ClientConnection::new(config, name).map_err(io::Error::other)?;
        let mut stream = Self { socket, session };
        while stream.session.is_handshaking() {
            match stream.session.complete_io(&mut stream.socket) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(explain(error)),
                Ok(_) => {}
            }
        }
        Ok(stream)
    }
}

fn explain(error: io::Error) -> io::Error {
    let hint = match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            "it took longer than the connect timeout"
        }
        io::ErrorKind::UnexpectedEof => "the server closed it; does it speak TLS on this port?",
        _ => return io::Error::other(format!("TLS handshake: {error}")),
    };
    io::Error::new(error.kind(), format!("TLS handshake: {hint}"))
}

impl Read for TlsStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                // This does not concern the socket: rustls has decrypted nothing yet.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
            self.flush()?;
            self.session.read_tls(&mut self.socket)?;
            self.session
                .process_new_packets()
                .map_err(io::Error::other)?;
        }
    }
}

impl Write for TlsStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Make room first: if that is interrupted, none of these bytes has been taken.
        self.flush()?;
        self.session.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            if self.session.write_tls(&mut self.socket)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }
}

/// For `verify: false`: checks no name, issuer or date, but only that the peer owns the key of its certificate.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            cert,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            cert,
            signed,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
