//! Reads standard input, on a thread of its own: at its end a runtime waits for the reads that it has begun.
//!
//! Only this side has this file: Node reads by itself.

use std::io::Stdin;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// As much as a pipe of Linux holds.
const PIECE_BYTES: usize = 64 * 1024;

/// Hands on pieces in their order until the end, or until `take` wants no more; then drops `take`. An error is an end:
/// nothing can come any more. Without a thread that is at once: a server that cannot see the end must not live on.
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

/// How many bytes came: 0 at the end, `None` at an error.
fn read_piece(input: &Stdin, piece: &mut [u8]) -> Option<usize> {
    loop {
        match rustix::io::read(input, &mut *piece) {
            Ok(length) => return Some(length),
            Err(Errno::INTR) => {}
            // A parent may pass on a descriptor that does not block.
            Err(Errno::AGAIN) => {
                let waited = poll(&mut [PollFd::new(input, PollFlags::IN)], None);
                if waited.is_err_and(|error| error != Errno::INTR) {
                    return None;
                }
            }
            Err(_) => return None,
        }
    }
}
