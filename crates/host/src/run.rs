//! Starts a host and stops it: on SIGINT and SIGTERM, or when it has been drained.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum_server::Handle;
use nuggets_time::unix_time_ms;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tracing::{info, warn};

use crate::cluster::Cluster;
use crate::cluster::neighbours::Neighbours;
use crate::service::{self, Dismissal, Service};
use crate::web::{self, Health, Site, listen};
use crate::{HostOptions, OpenedStore, StartError, Store, random, tls};

/// Time that requests in progress may still take when the host stops.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// A running host, which answers requests.
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

/// Runs a host until it is stopped. Calls `ready` when it answers requests.
pub fn serve(options: HostOptions, ready: impl FnOnce(&RunningHost)) -> Result<(), StartError> {
    // A thread that handles a key waits for the journal, and `Workers::send` always leaves one free.
    let threads = processors() + 1;
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

/// Returns the number of threads that can run at once.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Raises the limit of open files: each connection is one, and the usual limit of a process is 1024.
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

/// Opens the data folder of the host, or the database that it shares with others.
async fn open_store(
    options: &HostOptions,
    (address, url): (SocketAddr, &str),
    health: &Arc<Health>,
) -> Result<(OpenedStore, Option<Arc<Cluster>>), StartError> {
    let now = unix_time_ms();
    let Some(database) = &options.database else {
        let (folder, reindex) = (options.data.clone(), options.reindex);
        let open = move || {
            if reindex {
                service::reindex(&folder, now)?;
            }
            Store::open(&folder, now)
        };
        return Ok((blocking(open).await??, None));
    };
    let reached = match &database.advertise {
        Some(advertised) => advertised.clone(),
        None if address.ip().is_unspecified() => return Err(StartError::NoAddress),
        None if options.tls.is_some() => format!("https://{address}"),
        None => address.to_string(),
    };
    let to = database.url.clone();
    let opened = blocking(move || Store::open_database(&to, now)).await??;
    let store = opened.store.clone();
    let cluster = Cluster::join(database, store, reached, url, Arc::clone(health)).await?;
    Ok((opened, Some(cluster)))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StartError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|why| StartError::Runtime(io::Error::other(why)))
}

impl RunningHost {
    /// Opens the folder, resumes all games and starts to listen. Call it within a tokio runtime.
    pub async fn start(options: HostOptions) -> Result<Self, StartError> {
        let listener = listen::bind(options.listen)?;
        Self::start_on(listener, options, None).await
    }

    /// Starts the host on a socket that already listens, among these nodes.
    pub(crate) async fn start_on(
        listener: TcpListener,
        options: HostOptions,
        neighbours: Option<Arc<Neighbours>>,
    ) -> Result<Self, StartError> {
        let mutual = options.database.as_ref().filter(|shared| shared.node_identity.is_some());
        let node_ca = mutual.and_then(|shared| shared.node_ca.as_deref());
        let tls =
            options.tls.as_ref().map(|files| tls::server_config(files, node_ca)).transpose()?;
        let address = listener.local_addr().map_err(StartError::Runtime)?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = options.public_url.clone().unwrap_or_else(|| format!("{scheme}://{address}"));
        let health = Arc::new(Health::default());
        let (opened, cluster) = open_store(&options, (address, &url), &health).await?;
        let given = options.admin_token.clone();
        let admin_token = match &cluster {
            Some(cluster) => cluster.admin_token(given).await?,
            None => given.unwrap_or_else(random::secret_text),
        };
        let neighbours = neighbours.or(cluster.as_ref().map(|it| Arc::clone(it.neighbours())));
        let (for_service, for_cluster) = (options.clone(), cluster.clone());
        let open = move || Service::open(&for_service, opened, for_cluster);
        let (service, reports) = blocking(open).await??;
        let reports = tokio::spawn(Arc::clone(&service).handle_reports(reports));
        let for_cluster = Arc::clone(&service);
        let site = Site::new(&options, service, &admin_token, neighbours, health);
        let site = Arc::new(site);
        let handle = Handle::new();
        let router = web::router(Arc::clone(&site));
        let acceptor = site.acceptor();
        let server = tokio::spawn(listen::serve(listener, tls, acceptor, router, handle.clone()));
        if let Some(cluster) = cluster {
            cluster.start(&for_cluster);
        }
        Ok(Self { address, url, admin_token, site, handle, server, reports })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the state that all requests share.
    #[cfg(test)]
    pub(crate) fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// Returns the URL to open in a browser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the token that the admin page asks for.
    pub fn admin_token(&self) -> &str {
        &self.admin_token
    }

    /// Waits until the host is drained and its last game is over.
    pub async fn drained(&self) {
        self.site.service.drained().await;
    }

    /// Stops the host without ending any game: the next start resumes them. All files are complete afterwards.
    pub async fn stop(self) {
        self.site.service.leave_cluster().await;
        self.site.is_stopping.store(true, Ordering::Relaxed);
        self.site.service.connected.close_all(Dismissal::Stopping);
        self.handle.graceful_shutdown(Some(STOP_GRACE));
        if let Ok(Err(why)) = self.server.await {
            warn!("the web server has failed while it stopped: {why}");
        }
        let closed = self.site.service.connected.wait_until_empty();
        if tokio::time::timeout(STOP_GRACE, closed).await.is_err() {
            warn!("some WebSockets did not take the last message in time");
        }
        let service = Arc::clone(&self.site.service);
        // Blocks until the threads of the games have ended.
        if tokio::task::spawn_blocking(move || service.workers.close_all()).await.is_err() {
            warn!("a thread of the games has failed while it stopped");
        }
        if let Some(udp) = &self.site.service.udp {
            udp.close_all().await;
        }
        let _ = self.reports.await;
    }
}
