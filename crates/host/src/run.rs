//! Starts a host and stops it: on SIGINT and SIGTERM, or when it has been drained.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use axum_server::Handle;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tracing::{info, warn};

use crate::service::Service;
use crate::web::{self, Site, listen};
use crate::{HostOptions, StartError, random};

/// How long requests that are being answered may still take when the host stops.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// A host that answers requests.
#[derive(Debug)]
pub struct RunningHost {
    address: SocketAddr,
    url: String,
    admin_token: String,
    site: Arc<Site>,
    handle: Handle<SocketAddr>,
    server: JoinHandle<io::Result<()>>,
    reports: JoinHandle<()>,
}

/// Runs a host until it is stopped. `ready` is called when people can open it.
pub fn serve(options: HostOptions, ready: impl FnOnce(&RunningHost)) -> Result<(), StartError> {
    // A thread that handles a key waits for the journal, and `Workers::key` leaves one of two or more free.
    let threads = processors().max(2);
    let mut builder = runtime::Builder::new_multi_thread();
    let built = builder.worker_threads(threads).enable_all().build();
    let runtime = built.map_err(StartError::Runtime)?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt()).map_err(StartError::Runtime)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(StartError::Runtime)?;
        raise_open_files(u64::from(options.max_watchers));
        let host = RunningHost::start(options).await?;
        ready(&host);
        tokio::select! {
            _ = interrupt.recv() => info!("SIGINT: stopping; the next start resumes all games"),
            _ = terminate.recv() => info!("SIGTERM: stopping; the next start resumes all games"),
            () = host.drained() => info!("drained: stopping"),
        }
        host.stop().await;
        Ok(())
    })
}

/// How many threads can run at once.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Each connection is an open file, and the usual limit of a process is 1024 of them.
fn raise_open_files(max_watchers: u64) {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let files = if raised.is_ok() { limit.maximum } else { limit.current };
    if let Some(files) = files.filter(|files| *files < max_watchers) {
        warn!(
            "the system lets this process open {files} files, so fewer can watch; see `ulimit -n`"
        );
    }
}

impl RunningHost {
    /// Opens the folder, resumes all games and starts to listen. Call it within a tokio runtime.
    pub async fn start(options: HostOptions) -> Result<Self, StartError> {
        let listener = listen::bind(options.listen)?;
        Self::start_on(listener, options).await
    }

    /// The same on a socket that listens already.
    pub(crate) async fn start_on(
        listener: TcpListener,
        options: HostOptions,
    ) -> Result<Self, StartError> {
        let tls = options.tls.as_ref().map(listen::read_tls).transpose()?;
        let address = listener.local_addr().map_err(StartError::Runtime)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = options.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        let admin_token = options.admin_token.clone().unwrap_or_else(random::secret_text);
        let for_service = options.clone();
        let opened = tokio::task::spawn_blocking(move || Service::open(&for_service)).await;
        let (service, reports) =
            opened.map_err(|why| StartError::Runtime(io::Error::other(why)))??;
        let reports = tokio::spawn(Arc::clone(&service).handle_reports(reports));
        let site = Arc::new(Site::new(&options, service, &admin_token));
        let handle = Handle::new();
        let router = web::router(Arc::clone(&site));
        let connections = Arc::clone(&site.connections);
        let server =
            tokio::spawn(listen::serve(listener, tls, connections, router, handle.clone()));
        Ok(Self { address, url, admin_token, site, handle, server, reports })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What all requests share.
    #[cfg(test)]
    pub(crate) fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// What to open in a browser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What the admin page asks for.
    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    /// Waits until the admin has drained it and its last game is over.
    pub async fn drained(&self) {
        self.site.service.drained().await;
    }

    /// Stops it without ending any game: the next start resumes them. All files are complete afterwards.
    pub async fn stop(self) {
        self.site.stopping.send_replace(true);
        self.handle.graceful_shutdown(Some(STOP_GRACE));
        if let Ok(Err(why)) = self.server.await {
            warn!("the web server has failed while it stopped: {why}");
        }
        let closed = self.site.connected().wait_until_empty();
        if tokio::time::timeout(STOP_GRACE, closed).await.is_err() {
            warn!("some WebSockets did not take the last message in time");
        }
        let service = Arc::clone(&self.site.service);
        // It waits for the threads of the games.
        if tokio::task::spawn_blocking(move || service.workers.close_all()).await.is_err() {
            warn!("a thread of the games has failed while it stopped");
        }
        self.site.service.close_all_udp().await;
        let _ = self.reports.await;
    }
}
