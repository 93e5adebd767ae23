//! A folder for each test, in which the command runs.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// A temporary folder with files and a cache.
pub struct Folder {
    folder: TempDir,
}

/// Returns whether tests run completely instead of a sample, as for `make test-all`.
pub fn tests_all() -> bool {
    std::env::var_os("WARPWISE_TESTS").is_some_and(|value| value == "all")
}

/// The outcome of a command.
pub struct Ran {
    /// Exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: String,
}

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    /// Creates a folder with one program, `p.fut`.
    pub fn with(program: &str) -> Folder {
        let folder = Folder::new();
        folder.write("p.fut", program);
        folder
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and creates its parent folders.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    /// Returns the command, ready to start in this folder.
    pub fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.current_dir(&self.folder).args(words);
        command.env("XDG_CACHE_HOME", self.path("cache")).env("TMPDIR", self.folder.path());
        let emulator = emulator();
        command.env("LD_LIBRARY_PATH", emulator).env("WARPWISE_NVRTC", emulator.join("libcuda.so"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command without standard input.
    pub fn run(&self, words: &[impl AsRef<OsStr>]) -> Ran {
        ended(self.command(words).spawn().unwrap())
    }

    /// Runs the command with `input` on standard input.
    pub fn run_with(&self, words: &[impl AsRef<OsStr>], input: &[u8]) -> Ran {
        given(self.command(words), input)
    }

    /// Runs a program in this folder with `input` on standard input.
    pub fn execute(&self, program: &str, words: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(self.path(program));
        command.current_dir(&self.folder).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        given(command, input)
    }
}

/// Returns the folder in which programs find the emulator of CUDA as a device's driver. The emulator is beside the tests.
fn emulator() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let tests = std::env::current_exe().unwrap();
        let folder = tests.with_file_name("cuda-driver");
        std::fs::create_dir_all(&folder).unwrap();
        let made = std::os::unix::fs::symlink("../libwarpwise_cuda_emulator.so", folder.join("libcuda.so"));
        assert!(made.is_ok() || folder.join("libcuda.so").is_symlink(), "{made:?}");
        folder
    });
    &FOLDER
}

/// Runs a command with `input` on standard input.
fn given(mut command: Command, input: &[u8]) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    // The command may end without reading everything.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let ran = ended(child);
    writer.join().unwrap();
    ran
}

/// Waits for a command.
pub fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran { code: output.status.code(), output: output.stdout, errors }
}

impl Ran {
    /// Returns the standard output of a command that must succeed.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.errors);
        String::from_utf8(self.output).unwrap()
    }

    /// Checks that a command ended with this exit code and that its messages contain all fragments. Returns the messages.
    #[track_caller]
    pub fn fails(self, code: i32, fragments: &[&str]) -> String {
        assert_eq!(self.code, Some(code), "{}", self.errors);
        for fragment in fragments {
            assert!(self.errors.contains(fragment), "`{fragment}` is missing in:\n{}", self.errors);
        }
        for banned in ["panicked", "RUST_BACKTRACE", "internal error"] {
            assert!(!self.errors.contains(banned), "{}", self.errors);
        }
        self.errors
    }
}

/// Returns a value in the binary format: sizes, then data.
pub fn binary(ty: &str, shape: &[u64], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![b'b', 2, shape.len() as u8];
    bytes.extend(format!("{ty:>4}").as_bytes());
    bytes.extend(shape.iter().flat_map(|size| size.to_le_bytes()));
    bytes.extend(data);
    bytes
}

/// Returns a `.npy` file of version 1.0.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len()) % 64 != 63 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}
