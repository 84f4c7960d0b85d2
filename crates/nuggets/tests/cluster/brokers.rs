//! Three brokers as processes: the configurations of dist, with other ports and folders.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::free_port::free_port;
use crate::{LIMIT, now};

const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The addresses and folders of the configurations, by broker.
const COUNT: u16 = 3;

/// The brokers. They are killed when the test is over, however it ends.
pub(crate) struct Brokers {
    folder: TempDir,
    brokers: Vec<Broker>,
}

struct Broker {
    child: Option<Child>,
    config: PathBuf,
    /// Where nodes connect.
    port: u16,
    /// Where it says how it is.
    monitoring: u16,
}

impl Brokers {
    /// Starts them, and waits until they have found each other. `change` may change their configurations.
    pub(crate) fn start(change: impl Fn(String) -> String) -> Self {
        let folder = TempDir::with_prefix("nuggets-brokers-").unwrap();
        let common = fs::read_to_string(format!("{TOP}/dist/nats-common.conf")).unwrap();
        fs::write(folder.path().join("nats-common.conf"), common).unwrap();
        let ports: Vec<[u16; 3]> =
            (0..COUNT).map(|_| [free_port(), free_port(), free_port()]).collect();
        let broker = |number: u16| {
            let text = change(configuration(folder.path(), number, &ports));
            let config = folder.path().join(format!("nats-{number}.conf"));
            fs::write(&config, text).unwrap();
            let [port, monitoring, _] = ports[usize::from(number) - 1];
            Broker { child: None, config, port, monitoring }
        };
        let brokers = (1..=COUNT).map(broker).collect();
        let mut started = Self { folder, brokers };
        (0..started.brokers.len()).for_each(|index| started.start_again(index));
        started.wait_until_healthy();
        started
    }

    /// The addresses, as seen from a machine that reaches the brokers at this one.
    pub(crate) fn urls(&self, host: Ipv4Addr) -> String {
        let url = |broker: &Broker| format!("nats://nuggets:nuggets@{host}:{}", broker.port);
        self.brokers.iter().map(url).collect::<Vec<_>>().join(",")
    }

    pub(crate) fn len(&self) -> usize {
        self.brokers.len()
    }

    pub(crate) fn kill(&mut self, index: usize) {
        self.brokers[index].kill();
    }

    pub(crate) fn start_again(&mut self, index: usize) {
        let broker = &mut self.brokers[index];
        let log = self.folder.path().join(format!("{index}.log"));
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = Command::new(program());
        command.arg("--config").arg(&broker.config).stdin(Stdio::null());
        command.stdout(log.try_clone().unwrap()).stderr(log);
        broker.child = Some(command.spawn().unwrap());
    }

    /// Waits until all brokers have caught up with each other.
    pub(crate) fn wait_until_healthy(&self) {
        let started = now();
        for broker in &self.brokers {
            while !broker.is_healthy() {
                assert!(started.elapsed() < LIMIT, "a broker does not get ready");
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

impl Broker {
    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn is_healthy(&self) -> bool {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.monitoring));
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(address)?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.contains(r#""status":"ok""#))
    }
}

impl Drop for Brokers {
    fn drop(&mut self) {
        self.brokers.iter_mut().for_each(Broker::kill);
        if thread::panicking() {
            for index in 0..self.brokers.len() {
                crate::show_end_of(&self.folder.path().join(format!("{index}.log")));
            }
        }
    }
}

/// The configuration of a broker with these ports: for nodes, for monitoring and for the other brokers.
fn configuration(folder: &Path, number: u16, ports: &[[u16; 3]]) -> String {
    let mut text = fs::read_to_string(format!("{TOP}/dist/nats-{number}.conf")).unwrap();
    let mut replace = |from: &str, to: &str| {
        assert!(text.contains(from), "dist/nats-{number}.conf has no {from}");
        text = text.replace(from, to);
    };
    let data = folder.join(number.to_string());
    replace(&format!("nats-data/{number}"), &data.to_string_lossy());
    let [port, monitoring, _] = ports[usize::from(number) - 1];
    replace(&format!("127.0.0.1:{}", 4221 + number), &format!("127.0.0.1:{port}"));
    replace(&format!("127.0.0.1:{}", 8221 + number), &format!("127.0.0.1:{monitoring}"));
    for (other, [_, _, route]) in (1..).zip(ports) {
        replace(&format!("127.0.0.1:{}", 6221 + other), &format!("127.0.0.1:{route}"));
    }
    text
}

/// What `cargo xtask test` installs, or what `NATS_SERVER` names.
fn program() -> PathBuf {
    let chosen = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let program = chosen.unwrap_or_else(|| Path::new(TOP).join("target/pypi/bin/nats-server"));
    assert!(
        program.exists(),
        "there is no {}: `cargo xtask broker-configs` installs it",
        program.display()
    );
    program
}
