//! A folder of its own for each test, and the command run in it.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// Files, and a place for the cache.
pub struct Folder {
    folder: TempDir,
}

/// Whether tests that have samples run whole, as for `make test-all`.
pub fn tests_all() -> bool {
    std::env::var_os("WARPWISE_TESTS").is_some_and(|value| value == "all")
}

/// What came of a command.
pub struct Ran {
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: String,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with one program, `p.fut`.
    pub fn with(program: &str) -> Folder {
        let folder = Folder::new();
        folder.write("p.fut", program);
        folder
    }

    /// Where a file of it lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and the folders it lies in.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    /// The command, to be started in this folder.
    pub fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise"));
        command.current_dir(&self.folder).args(words);
        command.env("XDG_CACHE_HOME", self.path("cache")).env("TMPDIR", self.folder.path());
        let emulator = emulator();
        command.env("LD_LIBRARY_PATH", emulator).env("WARPWISE_NVRTC", emulator.join("libcuda.so"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command with nothing on standard input.
    pub fn run(&self, words: &[impl AsRef<OsStr>]) -> Ran {
        ended(self.command(words).spawn().unwrap())
    }

    /// Runs the command with something on standard input.
    pub fn run_with(&self, words: &[impl AsRef<OsStr>], input: &[u8]) -> Ran {
        given(self.command(words), input)
    }

    /// Runs a program that lies in this folder with something on standard input.
    pub fn execute(&self, program: &str, words: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(self.path(program));
        command.current_dir(&self.folder).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        given(command, input)
    }
}

/// The folder in which programs find the emulator of CUDA, which lies beside the tests, as the driver of a device.
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

/// Runs a command with something on standard input.
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
    /// Standard output of a command that must succeed.
    #[track_caller]
    pub fn succeeds(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.errors);
        String::from_utf8(self.output).unwrap()
    }

    /// A command that must end with this exit code, having said all of this; gives all it said.
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

/// A value in the binary format: sizes, then data.
pub fn binary(ty: &str, shape: &[u64], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![b'b', 2, shape.len() as u8];
    bytes.extend(format!("{ty:>4}").as_bytes());
    bytes.extend(shape.iter().flat_map(|size| size.to_le_bytes()));
    bytes.extend(data);
    bytes
}

/// A `.npy` file of version 1.0.
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
