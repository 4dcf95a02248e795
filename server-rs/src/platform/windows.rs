//! The Windows half of `platform`: file ids instead of inodes, console events instead of signals.
//!
//! Files and folders have no mode there. They inherit the access list of their folder, which in the profile of a user
//! admits that user, administrators and the system (decision 99).

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result, Stdin, Stdout, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown,
};
use waitpid_any::WaitHandle;
use winapi_util::file::{Information, information};

/// `ERROR_TOO_MANY_OPEN_FILES`.
const TOO_MANY_OPEN_FILES: i32 = 4;

/// Whether `SO_REUSEADDR` only skips the wait for closing connections. On Windows it takes a port that is in use.
pub const CAN_REUSE_ADDRESS: bool = false;

/// Returns options that create a file, with the access list of its folder.
pub fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

/// Returns a builder of folders, with the access list of their folder.
pub fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Returns `false`, since a file has no mode.
pub fn is_open_to_others(_file: &Metadata) -> bool {
    false
}

/// Returns `true`: who may write next to the database is a matter of the access list of its folder.
pub fn is_own_file(_file: &Metadata) -> bool {
    true
}

/// Returns file id and volume of a file; `None` when it does not exist.
pub fn identity_of(path: &Path) -> Option<(u64, u64)> {
    information_of(path).map(|file| (file.file_index(), file.volume_serial_number()))
}

/// Returns the number of hard links of a regular file; `None` for anything else.
pub fn link_count(path: &Path) -> Option<u64> {
    // A folder cannot be opened like a file.
    information_of(path).map(|file| file.number_of_links())
}

fn information_of(path: &Path) -> Option<Information> {
    information(&File::open(path).ok()?).ok()
}

/// Returns the absolute path without symbolic links, and without the prefix `\\?\` where it can be without.
pub fn canonical_path(path: &Path) -> Result<PathBuf> {
    dunce::canonicalize(path)
}

/// Opens a file for calls that make its bytes survive a power loss. Windows syncs only what may be written.
pub fn open_to_sync(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Does nothing: NTFS keeps the changes of a folder in its own log, and a program cannot sync a folder.
pub fn sync_folder(_folder: &Path) -> Result<()> {
    Ok(())
}

/// Returns the free and the total bytes of the disk that holds a file. What a quota takes away is not free.
pub fn disk_space(path: &Path) -> Option<(u64, u64)> {
    let space = fs4::statvfs(path).ok()?;
    Some((space.available_space(), space.total_space()))
}

/// Returns whether a file lacks the attribute that forbids writes.
pub fn is_writable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| !file.permissions().readonly())
}

/// Returns whether file handles have run out.
pub fn is_out_of_descriptors(error: &Error) -> bool {
    error.raw_os_error() == Some(TOO_MANY_OPEN_FILES)
}

/// Returns `None`: handles have no limit of their own.
pub fn raise_descriptor_limit() -> Option<u64> {
    None
}

/// Returns whether a process with this id runs, also as another user.
pub fn is_running(pid: i32) -> bool {
    match WaitHandle::open(pid) {
        Ok(mut process) => !has_ended(&mut process),
        // The process runs as another user.
        Err(error) => error.kind() == ErrorKind::PermissionDenied,
    }
}

fn has_ended(process: &mut WaitHandle) -> bool {
    matches!(process.wait_timeout(Duration::ZERO), Ok(Some(())))
}

/// Another process whose end matters. The handle keeps its id from being given to a later process.
#[derive(Debug)]
pub struct WatchedProcess {
    pid: i32,
    /// `None` for a process of another user, and for one that has ended.
    handle: Option<WaitHandle>,
}

impl WatchedProcess {
    /// Watches the process with this id; `None` when no process can have it.
    pub fn new(pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok().filter(|pid| *pid > 0)?;
        Some(Self { pid, handle: WaitHandle::open(pid).ok() })
    }

    /// Returns whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        match &mut self.handle {
            Some(handle) => has_ended(handle),
            None => !is_running(self.pid),
        }
    }
}

/// The events that end the server: Ctrl-C, Ctrl-Break, a closed console, and the end of the system (rule PRO-07).
#[derive(Debug)]
pub struct StopSignals {
    interrupt: CtrlC,
    breaks: CtrlBreak,
    close: CtrlClose,
    shutdown: CtrlShutdown,
}

impl StopSignals {
    /// Catches the events from now on. Needs a runtime.
    pub fn listen() -> Result<Self> {
        Ok(Self {
            interrupt: ctrl_c()?,
            breaks: ctrl_break()?,
            close: ctrl_close()?,
            shutdown: ctrl_shutdown()?,
        })
    }

    /// Resolves with the name of the next event, as Node names it.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.breaks.recv() => "SIGBREAK",
            _ = self.close.recv() => "SIGHUP",
            _ = self.shutdown.recv() => "SIGTERM",
        }
    }
}

/// Returns the number of bytes read from standard input: 0 at the end, `None` at an error.
pub fn read_input(input: &Stdin, piece: &mut [u8]) -> Option<usize> {
    loop {
        match input.lock().read(piece) {
            Ok(length) => return Some(length),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Writes all bytes to stdout; `false` when the reader has closed its end.
pub fn write_output(output: &Stdout, bytes: &[u8]) -> bool {
    let mut output = output.lock();
    output.write_all(bytes).and_then(|()| output.flush()).is_ok()
}
