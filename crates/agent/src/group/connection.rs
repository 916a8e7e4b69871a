//! The connection of a task to the controller, for launchers that do not copy their input.
//!
//! `mpirun` of MPICH and of Open MPI gives its standard input to the task of rank 0 only. So every
//! task connects to the controller, and this connection is its standard input and output from then
//! on.

use std::env;
use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use rustix::stdio::{dup2_stdin, dup2_stdout};

/// Names the variable with the key of the step. The controller closes connections without it.
pub(crate) const KEY: &str = "SEATRIAL_GROUP_KEY";

/// Limit for one address. Its machine may be in a network that this node cannot reach.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to the first address (`host:port`) that answers; the error is a sentence.
pub(crate) fn connect(addresses: &[String]) -> Result<(), String> {
    let Ok(key) = env::var(KEY) else {
        return Err(format!(
            "{KEY} is not set: the launcher must pass it to every task"
        ));
    };
    let mut problems = Vec::new();
    for address in addresses {
        match opened(address).and_then(|stream| take_over(stream, &key)) {
            Ok(()) => return Ok(()),
            Err(error) => problems.push(format!("{address}: {error}")),
        }
    }
    Err(format!("no way to the controller: {}", problems.join("; ")))
}

fn opened(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for socket_address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&socket_address, TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn take_over(mut stream: TcpStream, key: &str) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.write_all(format!("{key}\n").as_bytes())?;
    dup2_stdin(&stream)?;
    dup2_stdout(&stream)?;
    Ok(())
}
