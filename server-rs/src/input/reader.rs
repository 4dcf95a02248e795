//! Reads standard input on a thread of its own: tokio's own threads would delay its shutdown until a read returns.
//!
//! Only server-rs has this file: Node reads in its own thread pool.

use std::io::Stdin;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Size of one read in bytes: the capacity of a pipe in Linux.
const PIECE_BYTES: usize = 64 * 1024;

/// Passes pieces to `take`, in order, until the input ends or `take` returns `false`; then drops `take`. An
/// error counts as the end. A thread that cannot start also counts as the end, since the server could not
/// notice the real end.
pub fn read_input(mut take: impl FnMut(&[u8]) -> bool + Send + 'static) {
    let read = move || {
        let input = std::io::stdin();
        let mut piece = vec![0; PIECE_BYTES];
        while let Some(length @ 1..) = read_piece(&input, &mut piece) {
            if !take(&piece[..length]) {
                return;
            }
        }
    };
    drop(std::thread::Builder::new().name("input".to_owned()).spawn(read));
}

/// Returns the number of bytes read: 0 at the end, `None` at an error.
fn read_piece(input: &Stdin, piece: &mut [u8]) -> Option<usize> {
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

/// Waits until a non-blocking descriptor is ready or a signal arrives; `false` when it cannot wait.
pub(super) fn wait_until(descriptor: &impl AsFd, events: PollFlags) -> bool {
    matches!(poll(&mut [PollFd::new(descriptor, events)], None), Ok(_) | Err(Errno::INTR))
}
