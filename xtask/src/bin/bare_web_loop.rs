//! What the WebSocket stack alone costs: the bare loop that `cargo xtask bench` compares the host with. It has the
//! same stack and the same settings of it, but no game, no journal, no streams and no limits.
//!
//! Connections are numbered by their path, `/7`. Each message of a client lists what is sent to whom: `7:25 12:31` are
//! 25 bytes to connection 7, and then 31 to connection 12. The sender's own message begins with `@`.

use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// Connections that can be numbered.
const MAX_CONNECTIONS: usize = 20_000;
/// The largest message.
const MAX_BYTES: usize = 1 << 16;
/// As in the host (`web/socket/wire_limits.rs`).
const READ_BUFFER_BYTES: usize = 1024;

/// Where each connection is written to.
struct Table {
    sinks: Vec<Mutex<Option<SplitSink<WebSocket, Message>>>>,
    to_sender: &'static str,
    to_others: &'static str,
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let dots = ".".repeat(MAX_BYTES);
    let table = Arc::new(Table {
        sinks: (0..MAX_CONNECTIONS).map(|_| Mutex::new(None)).collect(),
        to_sender: Box::leak(format!("@{dots}").into_boxed_str()),
        to_others: Box::leak(dots.into_boxed_str()),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    let router = Router::new().route("/{number}", get(upgrade)).with_state(table);
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("it is TCP"));
    axum::serve(listener, router).await
}

async fn upgrade(
    State(table): State<Arc<Table>>,
    Path(number): Path<usize>,
    socket: WebSocketUpgrade,
) -> Response {
    let socket = socket.read_buffer_size(READ_BUFFER_BYTES).write_buffer_size(0);
    socket.on_upgrade(move |socket| serve(table, number, socket))
}

async fn serve(table: Arc<Table>, number: usize, socket: WebSocket) {
    let (sink, mut stream) = socket.split();
    *table.sinks[number].lock().await = Some(sink);
    while let Some(Ok(Message::Text(order))) = stream.next().await {
        send_all(&table, number, &order).await;
    }
    *table.sinks[number].lock().await = None;
}

async fn send_all(table: &Table, sender: usize, order: &str) {
    for entry in order.split_ascii_whitespace() {
        let Some((to, bytes)) = entry.split_once(':') else { continue };
        let (Ok(to), Ok(bytes)) = (to.parse::<usize>(), bytes.parse::<usize>()) else { continue };
        let text = if to == sender { table.to_sender } else { table.to_others };
        if let Some(sink) = table.sinks[to].lock().await.as_mut() {
            // A connection that has ended is noticed by its reader.
            let _ = sink.send(Message::Text(Utf8Bytes::from_static(&text[..bytes]))).await;
        }
    }
}
