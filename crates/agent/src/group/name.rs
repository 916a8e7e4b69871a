//! Which client a task of a launcher is.

use std::{env, fs};

/// Variables with the number of a task. Those of MPI come first: its daemons are tasks of Slurm.
const RANKS: [&str; 5] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];

/// The names and the number of this task.
#[derive(Debug)]
pub(crate) struct Identity {
    names: Vec<String>,
    rank: Option<usize>,
}

impl Identity {
    /// From the environment that the launcher made, and from the host name.
    pub(crate) fn of_this_task() -> Self {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        let short = host.split('.').next().unwrap_or_default();
        let slurm = env::var("SLURMD_NODENAME").ok();
        let names = slurm.as_deref().into_iter().chain([host, short]);
        let mut numbers = RANKS.iter().filter_map(|name| env::var(name).ok());
        Self {
            names: names.map(str::to_owned).collect(),
            rank: numbers.find_map(|text| text.parse().ok()),
        }
    }

    /// The name of the machine, in Slurm that of its node.
    pub(crate) fn host(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// The number of the task in its step, from 0; unknown without a known launcher.
    pub(crate) const fn rank(&self) -> Option<usize> {
        self.rank
    }

    /// The client with one of this task's names, or else the client at the position of its rank.
    pub(crate) fn client_among<'a>(&self, clients: &'a [String]) -> Result<&'a str, String> {
        let named = self.names.iter().find_map(|name| find(clients, name));
        let ranked = || self.rank.and_then(|rank| clients.get(rank));
        named.or_else(ranked).map(String::as_str).ok_or_else(|| {
            let host = self.host();
            match self.rank {
                Some(rank) => format!("{host}: rank {rank} is none of {} clients", clients.len()),
                None => format!(
                    "{host} is no client, and none of {} is set",
                    RANKS.join(", ")
                ),
            }
        })
    }
}

fn find<'a>(clients: &'a [String], name: &str) -> Option<&'a String> {
    clients.iter().find(|client| client.as_str() == name)
}

/// Identifies the container of this process; containers share the boot of their machine.
pub(crate) fn mount_namespace() -> String {
    let link = fs::read_link("/proc/self/ns/mnt").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(name: &str, rank: Option<usize>) -> Identity {
        let names = vec![name.to_owned()];
        Identity { names, rank }
    }

    #[test]
    fn a_name_comes_before_a_rank() {
        let clients = ["n1".to_owned(), "n2".to_owned()];
        let client = |name, rank| identity(name, rank).client_among(&clients).ok();
        assert_eq!(Some("n1"), client("n1", Some(1)));
        assert_eq!(Some("n2"), client("other", Some(1)));
        assert_eq!(None, client("other", Some(2)));
        assert_eq!(None, client("other", None));
    }
}
