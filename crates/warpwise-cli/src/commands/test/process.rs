//! The test of one program in a process of its own, with a limit on its time.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::summary::Kind;
use super::{Outcome, Status};

/// The command that tests a program.
pub struct TestCommand<'a> {
    /// Command line that starts this command in another process.
    pub itself: &'a [OsString],
    /// Arguments before the program's name.
    pub words: Vec<String>,
    /// Maximum time for a program.
    pub timeout: Duration,
}

/// The outputs and the exit status of a process.
struct Ended {
    /// `None` if the process was killed after the time limit.
    status: Option<ExitStatus>,
    output: String,
    errors: String,
}

impl TestCommand<'_> {
    /// Tests a program, even if it crashes or hangs.
    pub fn test(&self, program: &Path) -> Outcome {
        let outcome = |status, message: String| Outcome {
            program: program.display().to_string(),
            status,
            message,
            kind: Kind::default(),
            said: false,
            cases: Vec::new(),
        };
        let ended = match self.spawn(program).and_then(|child| wait(child, self.timeout)) {
            Ok(ended) => ended,
            Err(error) => return outcome(Status::Internal, format!("cannot start a process: {error}")),
        };
        let Some(status) = ended.status else {
            return outcome(Status::Timeout, format!("gave up after {} s", self.timeout.as_secs()));
        };
        match serde_json::from_str::<Outcome>(&ended.output) {
            Ok(outcome) if status.success() => outcome,
            Ok(_) | Err(_) if status.code().is_some() && ended.errors.contains("internal error") => {
                outcome(Status::Internal, ended.errors)
            }
            Ok(_) | Err(_) => outcome(Status::Crashed, format!("{status}\n{}", ended.errors)),
        }
    }

    /// Starts a test process. It ends when its standard input does, so it never outlives this process.
    fn spawn(&self, program: &Path) -> std::io::Result<Child> {
        let (executable, first) = self.itself.split_first().ok_or(ErrorKind::NotFound)?;
        let mut command = Command::new(executable);
        command.args(first).args(&self.words).arg("--").arg(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    }
}

fn wait(mut child: Child, timeout: Duration) -> std::io::Result<Ended> {
    let _input = child.stdin.take();
    let output = drain(child.stdout.take());
    let errors = drain(child.stderr.take());
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(16));
    };
    Ok(Ended { status, output: joined(output), errors: joined(errors) })
}

/// Reads a pipe in a thread while the process runs, so that the process never waits for room in the pipe.
fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // After an error, the bytes read so far count.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn joined(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, timeout: Duration) -> Outcome {
        let words = vec!["-c".to_string(), script.to_string()];
        TestCommand { itself: &["/bin/sh".into()], words, timeout }.test(Path::new("p.fut"))
    }

    #[test]
    fn what_a_process_says_is_the_outcome() {
        let outcome = run(r#"echo '{"program": "p.fut", "status": "failed", "message": "m"}'"#, LONG);
        assert_eq!((outcome.program.as_str(), outcome.message.as_str()), ("p.fut", "m"));
        assert_eq!((outcome.status, outcome.kind, outcome.said), (Status::Failed, Kind::Compile, false));
    }

    #[test]
    fn a_signal_is_a_crash() {
        let outcome = run("echo half; echo words >&2; kill -SEGV $$", LONG);
        assert_eq!(outcome.status, Status::Crashed);
        assert!(outcome.message.contains("words"), "{}", outcome.message);
        assert_eq!(run("exit 3", LONG).status, Status::Crashed);
        assert_eq!(run("echo 'error: internal error: x' >&2; exit 1", LONG).status, Status::Internal);
    }

    #[test]
    fn a_hang_is_a_timeout() {
        let start = Instant::now();
        assert_eq!(run("exec sleep 100", Duration::from_millis(200)).status, Status::Timeout);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn much_output_does_not_block() {
        let outcome = run("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 1", LONG);
        assert_eq!(outcome.status, Status::Crashed);
    }

    const LONG: Duration = Duration::from_secs(60);
}
