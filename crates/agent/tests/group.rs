//! `seatrial-agent group`: one task of many, with the input of all of them.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use common::PROGRAM;

/// One task of a step of two.
struct Task {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

/// A line of output, without mark and client.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    number: u64,
    stream: u64,
    kind: String,
    text: String,
}

impl Task {
    fn start(rank: &str) -> Self {
        let mut child = Command::new(PROGRAM)
            .arg("group")
            .env("PMI_RANK", rank)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let stdin = child.stdin.take();
        let mut task = Self {
            child,
            stdin,
            lines,
        };
        task.send(r#"{"group":1,"clients":["first client","second"]}"#.replace(' ', "-"));
        task
    }

    fn send(&mut self, line: impl AsRef<str>) {
        writeln!(self.stdin.as_mut().unwrap(), "{}", line.as_ref()).unwrap();
    }

    /// The next line that is no beat, with the right client and length.
    fn line(&mut self, client: &str) -> Line {
        loop {
            let line = self.lines.next().unwrap().unwrap();
            let mut fields = line.splitn(7, ' ');
            let mut next = || fields.next().unwrap().to_owned();
            assert_eq!(("seatrial".to_owned(), client.to_owned()), (next(), next()));
            let (number, stream) = (next().parse().unwrap(), next().parse().unwrap());
            let (kind, length, text) = (next(), next(), next());
            assert_eq!(length, text.len().to_string());
            if kind != "b" {
                return Line {
                    number,
                    stream,
                    kind,
                    text,
                };
            }
        }
    }

    /// The texts of a stream until its exit code, which is the last one.
    fn texts(&mut self, client: &str, stream: u64) -> Vec<(String, String)> {
        let mut found = Vec::new();
        loop {
            let line = self.line(client);
            assert_eq!(stream, line.stream);
            let is_last = line.kind == "x";
            found.push((line.kind, line.text));
            if is_last {
                return found;
            }
        }
    }

    fn end(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap()
    }
}

fn pairs(texts: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(kind, text): &(&str, &str)| (kind.to_owned(), text.to_owned());
    texts.iter().map(owned).collect()
}

#[test]
fn a_task_serves_the_client_of_its_rank_and_no_other() {
    let mut task = Task::start("1");
    let hello = task.line("second");
    assert_eq!((1, 0, "h"), (hello.number, hello.stream, &*hello.kind));
    assert!(hello.text.contains(r#""rank":1"#));
    // "aW4K" is "in" with its end of line.
    task.send(
        r#"{"inputs":["aW4K"],"open":[
            {"client":"first-client","stream":1,"command":"echo wrong"},
            {"client":"second","stream":2,"command":"read x; echo $x; read y; printf $y; exit 3",
             "input":0}],
            "send":[[2,"more"]],"close":[2]}"#
            .replace('\n', ""),
    );
    assert_eq!(
        pairs(&[("l", "in"), ("p", "more"), ("x", "3")]),
        task.texts("second", 2)
    );
    assert_eq!(0, task.end());
}

#[test]
fn a_long_line_comes_in_parts() {
    let mut task = Task::start("0");
    task.line("first-client");
    task.send(
        r#"{"open":[{"client":"first-client","stream":1,"command":"printf '%02000d\n' 0 >&2"}]}"#,
    );
    let texts = task.texts("first-client", 1);
    let kinds: Vec<&str> = texts.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(vec!["q", "q", "e", "x"], kinds);
    let whole: String = texts[..3].iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!("0".repeat(2000), whole);
    assert_eq!(0, task.end());
}

#[test]
fn a_command_is_ended_with_its_children() {
    let mut task = Task::start("0");
    task.line("first-client");
    task.send(
        r#"{"open":[{"client":"first-client","stream":1,"command":"sleep 600 & echo on; wait"}]}"#,
    );
    let line = task.line("first-client");
    assert_eq!("on", line.text);
    task.send(r#"{"end":[1]}"#);
    // 128 + SIGTERM. The pipe that the sleeping child holds would delay this.
    assert_eq!("143", task.line("first-client").text);
    assert_eq!(0, task.end());
}

#[test]
fn wrong_requests_end_a_task_with_a_reason() {
    for (rank, line) in [("7", "{}"), ("0", r#"{"opne":[]}"#), ("0", "no JSON")] {
        let mut task = Task::start(rank);
        // A task that is none of the clients has ended already.
        let _may_have_ended = writeln!(task.stdin.as_mut().unwrap(), "{line}");
        assert_eq!(2, task.child.wait().unwrap().code().unwrap());
    }
}

/// A task that connects, with its key and the address of the controller.
fn connecting(key: Option<&str>, address: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["group", "--connect", address]);
    command
        .env("PMI_RANK", "0")
        .env_remove("SEATRIAL_GROUP_KEY");
    if let Some(key) = key {
        command.env("SEATRIAL_GROUP_KEY", key);
    }
    command
}

#[test]
fn a_connection_begins_with_the_key_and_replaces_the_input_and_the_output() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut child = connecting(Some("abc"), &address).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    assert_eq!("abc", lines.next().unwrap().unwrap());
    writeln!(stream, r#"{{"group":1,"clients":["c1"]}}"#).unwrap();
    assert!(lines.next().unwrap().unwrap().starts_with("seatrial c1 "));
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(Some(0), child.wait().unwrap().code());
}

#[test]
fn without_a_key_or_a_controller_a_task_ends_with_one_sentence() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let without_key = connecting(None, &address).output().unwrap();
    drop(listener);
    let without_controller = connecting(Some("abc"), &address).output().unwrap();
    for (output, words) in [
        (without_key, "SEATRIAL_GROUP_KEY is not set"),
        (without_controller, "no way to the controller"),
    ] {
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert_eq!(Some(3), output.status.code(), "{sentence}");
        assert!(sentence.contains(words), "{sentence}");
        assert_eq!(1, sentence.lines().count(), "{sentence}");
    }
}
