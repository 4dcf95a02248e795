//! Ends a connection without destroying its last answer: the lingering close (RFC 9112, section 9.6).

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::contract::TUNING;
use crate::http::transport::Transport;

/// Closes the sending side, then reads for a while. Otherwise bytes that the client still sends cause a reset, which
/// destroys the answer in flight (RFC 9112, section 9.6).
pub(super) async fn linger(mut socket: Transport) {
    if socket.shutdown().await.is_err() {
        return;
    }
    let drained = async {
        let mut sink = vec![0; 16 * 1024];
        while socket.read(&mut sink).await.is_ok_and(|count| count > 0) {}
    };
    // A client that keeps sending is cut off.
    drop(tokio::time::timeout(Duration::from_millis(TUNING.linger_ms), drained).await);
}

/// Sends a last answer, and ends the connection.
pub(super) async fn send_last_answer(mut socket: Transport, answer: &[u8]) {
    let written = tokio::time::timeout(Duration::from_millis(TUNING.linger_ms), socket.write_all(answer));
    if written.await.is_ok_and(|result| result.is_ok()) {
        linger(socket).await;
    }
}
