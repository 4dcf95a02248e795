//! Puts the bytes of attachments into the bucket, and gets them for this copy (rules CLU-14 and CLU-16).
//!
//! Invariant: the name of an object has the id of its event and the SHA-256 of its bytes. No two contents have one name, and
//! an object of an event that is gone is of no use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncRead;
use tokio_util::io::StreamReader;

use crate::cluster::bucket::{Bucket, within};
use crate::cluster::link::UNREACHABLE;
use crate::contract::TUNING;
use crate::digest::{Digest, digest_hex};
use crate::error::ErrorCode;
use crate::store::attachment_files::{AttachmentFiles, TemporaryFile};
use crate::store::failure::file_code;

/// The bytes of attachments between this server and the bucket.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) bucket: Arc<Bucket>,
    pub(super) files: Arc<AttachmentFiles>,
    /// Contents that this server has received, by object; their messages are not applied yet.
    pub(super) received: Mutex<HashMap<String, Arc<TemporaryFile>>>,
}

/// A content whose message this server waits for. Dropping it forgets the content.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    objects: &'a Objects,
    name: String,
}

impl Objects {
    /// Puts a received content into the bucket, and remembers it until the result is dropped.
    pub(super) async fn put(
        &self,
        event: i64,
        sha256: &Digest,
        size: u64,
        file: &Arc<TemporaryFile>,
    ) -> Result<Waiting<'_>, ErrorCode> {
        let name = name_of(event, sha256);
        let put = async {
            let store = self.bucket.open_or_create().await?;
            let mut bytes = reader_of(Arc::clone(file), size);
            store.put(name.as_str(), &mut bytes).await.map_err(|error| error.to_string())
        };
        if let Err(reason) = put.await {
            tracing::warn!(reason, "the object store did not take an attachment");
            return Err(ErrorCode::ClusterUnavailable);
        }
        self.lock().insert(name.clone(), Arc::clone(file));
        Ok(Waiting { objects: self, name })
    }

    /// Returns the bytes of an attachment of the stream; `None` when this server has them, or the bucket no longer does. The
    /// error is why the copy cannot go on.
    pub(super) async fn content(
        &self,
        event: i64,
        sha256: Digest,
        size: u64,
    ) -> Result<Option<Arc<TemporaryFile>>, &'static str> {
        let files = Arc::clone(&self.files);
        if blocking(move || files.has(&sha256, size)).await? {
            return Ok(None);
        }
        let name = name_of(event, &sha256);
        if let Some(file) = self.lock().get(&name) {
            return Ok(Some(Arc::clone(file)));
        }
        let found = within(self.bucket.read(&name)).await?.map_err(|_| UNREACHABLE)?;
        let Some(mut chunks) = found else { return Ok(None) };
        let files = Arc::clone(&self.files);
        let file = Arc::new(blocking(move || files.begin()).await?);
        let (mut hasher, mut length) = (Sha256::new(), 0);
        while let Some(chunk) = chunks.next().await? {
            hasher.update(&chunk);
            length += chunk.len() as u64;
            let target = Arc::clone(&file);
            blocking(move || target.append(&chunk)).await?;
        }
        if length != size || Digest::from(hasher.finalize()) != sha256 {
            tracing::error!(object = name, "an object has the bytes of another attachment");
            return Ok(None);
        }
        let target = Arc::clone(&file);
        blocking(move || target.sync()).await?;
        Ok(Some(file))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<TemporaryFile>>> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.objects.lock().remove(&self.name);
    }
}

/// Returns the name of the object of an attachment.
fn name_of(event: i64, sha256: &Digest) -> String {
    format!("{event}.{}", digest_hex(sha256))
}

/// Reads a file in chunks, without an open descriptor between them.
fn reader_of(file: Arc<TemporaryFile>, size: u64) -> impl AsyncRead + Unpin {
    let chunks = stream::try_unfold(0, move |at| {
        let file = Arc::clone(&file);
        async move {
            let length = usize::try_from(size - at).unwrap_or(usize::MAX).min(TUNING.attachment_chunk_bytes);
            if length == 0 {
                return Ok(None);
            }
            let read = tokio::task::spawn_blocking(move || file.read(at, length)).await;
            let bytes = read.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))?;
            Ok::<_, std::io::Error>(Some((Bytes::from(bytes), at + length as u64)))
        }
    });
    StreamReader::new(Box::pin(chunks))
}

/// Runs file work on another thread; returns the code of its failure.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, &'static str> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| ErrorCode::Internal.as_str())?;
    done.map_err(|error| file_code(&error).as_str())
}
