//! Reads standard input on a thread of its own: tokio's own threads would delay its shutdown until a read returns.
//!
//! Only server-rs has this file: Node reads in its own thread pool.

use crate::platform;

/// Size of one read in bytes: the capacity of a pipe in Linux.
const PIECE_BYTES: usize = 64 * 1024;

/// Passes pieces to `take`, in order, until the input ends or `take` returns `false`; then drops `take`. An
/// error counts as the end. A thread that cannot start also counts as the end, since the server could not
/// notice the real end.
pub fn read_input(mut take: impl FnMut(&[u8]) -> bool + Send + 'static) {
    let read = move || {
        let input = std::io::stdin();
        let mut piece = vec![0; PIECE_BYTES];
        while let Some(length @ 1..) = platform::read_input(&input, &mut piece) {
            if !take(&piece[..length]) {
                return;
            }
        }
    };
    drop(std::thread::Builder::new().name("input".to_owned()).spawn(read));
}
