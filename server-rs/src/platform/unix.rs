//! The Unix half of `platform`: modes of files, inodes, signals, and limits of descriptors.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{Error, Result, Stdin, Stdout};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, geteuid, getppid, getrlimit, setrlimit, test_kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Permission bits of the group and of other users.
const OTHER_USERS: u32 = 0o077;

/// Whether `SO_REUSEADDR` only skips the wait for closing connections. On Windows it takes a port that is in use.
pub const CAN_REUSE_ADDRESS: bool = true;

/// Returns options that create a file that only this user can access (rule STO-09).
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    options
}

/// Returns a builder of folders that only this user can access (rule STO-09).
pub fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Returns whether the mode of a file gives other users any permission (rule SEC-06).
pub fn is_open_to_others(file: &Metadata) -> bool {
    file.mode() & OTHER_USERS != 0
}

/// Returns whether a file belongs to the user of this process.
pub fn is_own_file(file: &Metadata) -> bool {
    file.uid() == geteuid().as_raw()
}

/// Returns inode and device of a file; `None` when it does not exist.
pub fn identity_of(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|file| (file.ino(), file.dev()))
}

/// Returns the number of hard links of a regular file; `None` for anything else.
pub fn link_count(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(Metadata::is_file).map(|file| file.nlink())
}

/// Returns the absolute path without symbolic links.
pub fn canonical_path(path: &Path) -> Result<PathBuf> {
    path.canonicalize()
}

/// Opens a file for calls that make its bytes survive a power loss.
pub fn open_to_sync(path: &Path) -> Result<File> {
    File::open(path)
}

/// Makes the names of a folder survive a power loss.
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)?.sync_all()
}

/// Returns the free and the total bytes of the disk that holds a file. The reserve of the root user is not free.
pub fn disk_space(path: &Path) -> Option<(u64, u64)> {
    let space = statvfs(path).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    Some((bytes(space.f_bavail), bytes(space.f_blocks)))
}

/// Returns whether the system lets this process write a file.
pub fn is_writable(path: &Path) -> bool {
    access(path, Access::WRITE_OK).is_ok()
}

/// Returns whether descriptors have run out.
pub fn is_out_of_descriptors(error: &Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// Raises the soft limit of descriptors to the hard limit, as Node does by default. Returns the effective limit.
pub fn raise_descriptor_limit() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Some systems refuse an infinite hard limit; the soft limit then stays in effect.
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(_) => current,
    }
}

/// Returns whether a process with this id runs, also as another user.
pub fn is_running(pid: i32) -> bool {
    // EPERM: the process runs as another user.
    Pid::from_raw(pid).is_some_and(|pid| matches!(test_kill_process(pid), Ok(()) | Err(Errno::PERM)))
}

/// Another process whose end matters.
#[derive(Debug)]
pub struct WatchedProcess {
    pid: Pid,
    is_parent: bool,
}

impl WatchedProcess {
    /// Watches the process with this id; `None` when no process can have it.
    pub fn new(pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
        Some(Self { pid, is_parent: getppid() == Some(pid) })
    }

    /// Returns whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        // A dead parent that no process has waited for still has its id, but is no parent any more.
        let is_gone = matches!(test_kill_process(self.pid), Err(Errno::SRCH));
        is_gone || (self.is_parent && getppid() != Some(self.pid))
    }
}

/// The signals that end the server: SIGTERM and SIGINT (rule PRO-07).
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Catches the signals from now on. Needs a runtime.
    pub fn listen() -> Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Resolves with the name of the next signal.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// Returns the number of bytes read from standard input: 0 at the end, `None` at an error.
pub fn read_input(input: &Stdin, piece: &mut [u8]) -> Option<usize> {
    loop {
        match rustix::io::read(input, &mut *piece) {
            Ok(length) => return Some(length),
            Err(Errno::INTR) => {}
            // The parent may have made the descriptor non-blocking.
            Err(Errno::AGAIN) if wait_until(input, PollFlags::IN) => {}
            Err(_) => return None,
        }
    }
}

/// Writes all bytes to stdout; `false` when the reader has closed its end.
pub fn write_output(output: &Stdout, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(output, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::INTR) => {}
            // The parent may have made the descriptor non-blocking.
            Err(Errno::AGAIN) if wait_until(output, PollFlags::OUT) => {}
            Err(_) => return false,
        }
    }
    true
}

/// Waits until a non-blocking descriptor is ready or a signal arrives; `false` when it cannot wait.
fn wait_until(descriptor: &impl AsFd, events: PollFlags) -> bool {
    matches!(poll(&mut [PollFd::new(descriptor, events)], None), Ok(_) | Err(Errno::INTR))
}
