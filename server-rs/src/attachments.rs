//! Receives attachments. It admits their bytes, writes them to a temporary file, computes their SHA-256, and passes
//! the result to the writer (rules ATT-01 and ATT-04).
//!
//! Invariants: at most one chunk and one read of each body are in memory. The bytes of all stored and incoming
//! contents stay within `--attachments-bytes`. An upload that ends early leaves no file behind. Knows nothing of
//! HTTP. Over 250 lines because the room, an upload and its content share their accounting.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::cluster::Cluster;
use crate::config::Config;
use crate::contract::TUNING;
use crate::digest::Digest;
use crate::error::{ErrorCode, Failure};
use crate::redact::Redaction;
use crate::redact::stream::RedactionStream;
use crate::store::Store;
use crate::store::attachment_files::{TemporaryFile, disk_bytes};
use crate::store::attachments::{Attached, Attachment};
use crate::store::failure::file_code;
use crate::store::retention::Bounds;

/// Receives attachments and counts their bytes.
#[derive(Debug)]
pub struct Attachments {
    store: Arc<Store>,
    /// `None` without `--store jetstream`.
    cluster: Option<Arc<Cluster>>,
    max_bytes: u64,
    room: Arc<Room>,
    redaction: Option<Arc<Redaction>>,
    /// Number of stored attachments that redaction changed since the start (rule RED-07).
    redacted: AtomicU64,
}

/// The event that gets a content, and the attachment's name there.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each is the column of its name")]
pub struct Reference {
    pub event: i64,
    pub name: String,
    pub media_type: String,
}

/// A stored attachment.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// Whether this request created it.
    pub is_new: bool,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
    /// Size in bytes.
    pub size: u64,
}

impl Attachments {
    /// Creates the attachments of a store, within the limits of the configuration.
    pub fn new(store: Arc<Store>, cluster: Option<Arc<Cluster>>, config: &Config) -> Self {
        let room = Room {
            limit: config.attachments_bytes,
            taken: Mutex::new(store.attachment_bytes()),
            bounds: Arc::clone(store.bounds()),
        };
        Self {
            store,
            cluster,
            max_bytes: config.max_attachment_bytes,
            room: Arc::new(room),
            redaction: config.redaction.clone(),
            redacted: AtomicU64::new(0),
        }
    }

    /// Returns the bytes that all stored and incoming contents take on disk.
    pub fn bytes(&self) -> u64 {
        let mut taken = self.room.taken.lock().unwrap_or_else(PoisonError::into_inner);
        self.room.take_change(&mut taken);
        *taken
    }

    /// Returns the number of attachments that redaction changed since the start.
    pub fn redacted(&self) -> u64 {
        self.redacted.load(Ordering::Relaxed)
    }

    /// Starts to receive a content of a client; `declared` is its length if known.
    pub async fn begin(&self, declared: Option<u64>) -> Result<Upload, Failure> {
        if let Some(length) = declared.filter(|length| *length > self.max_bytes) {
            return Err(too_large(self.max_bytes).with("actual", length).closing());
        }
        if let Some(code) = self.store.state().refusal() {
            return Err(code.into());
        }
        if self.cluster.as_ref().is_some_and(|cluster| !cluster.is_connected()) {
            return Err(ErrorCode::ClusterUnavailable.into());
        }
        // A declared length takes no room, but one that cannot fit is refused at once.
        drop(self.room.check(disk_bytes(declared.unwrap_or(0)))?);
        let held = Held { room: Arc::clone(&self.room), bytes: 0 };
        let files = Arc::clone(self.store.attachment_files());
        let file = blocking(move || files.begin()).await?;
        let redaction = self.redaction.clone();
        let redacted = redaction
            .map(|redaction| Redacted { stream: RedactionStream::new(redaction), received: Sha256::new() });
        let content = Content { file: Arc::new(file), hasher: Sha256::new(), size: 0, redacted };
        Ok(Upload { max_bytes: self.max_bytes, held, content, pending: Vec::new(), size: 0 })
    }

    /// Lets the writer add a reference to a received content.
    pub async fn keep(&self, received: Received, reference: Reference) -> Result<Kept, Failure> {
        let Received { mut held, file, sha256, size, is_redacted, .. } = received;
        let Reference { event, name, media_type } = reference;
        let redacted_name = self.redaction.as_ref().and_then(|redaction| redaction.redact_identity(&name));
        let is_redacted = is_redacted || redacted_name.is_some();
        let name = redacted_name.unwrap_or(name);
        let is_shared = self.cluster.is_some();
        let attachment = Attachment { event, name, media_type, sha256, size, file, is_shared };
        let (store, cluster) = (Arc::clone(&self.store), self.cluster.clone());
        // The commit happens even when the client disconnects, so this task counts the bytes in any case.
        let counted = tokio::spawn(async move {
            let Some(cluster) = cluster else {
                let stored = store.attach(attachment).await;
                if stored == Ok(Attached::Stored { is_first: true }) {
                    held.keep();
                }
                return stored;
            };
            // The copy counts what the stream adds.
            cluster.attach(attachment).await
        });
        match counted.await.map_err(|_| ErrorCode::Internal)?? {
            Attached::Stored { .. } => {
                self.redacted.fetch_add(u64::from(is_redacted), Ordering::Relaxed);
                Ok(Kept { is_new: true, sha256, size })
            }
            Attached::Repeated => Ok(Kept { is_new: false, sha256, size }),
            Attached::Conflict => Err(ErrorCode::AttachmentExists.into()),
            Attached::NoEvent => Err(ErrorCode::NotFound.into()),
            Attached::Unshared => Err(ErrorCode::Internal.into()),
        }
    }
}

/// A content that the server is receiving. Dropping it removes its file.
#[derive(Debug)]
pub struct Upload {
    max_bytes: u64,
    held: Held,
    content: Content,
    pending: Vec<u8>,
    size: u64,
}

/// State of the thread that writes and hashes.
#[derive(Debug, Clone)]
struct Content {
    file: Arc<TemporaryFile>,
    hasher: Sha256,
    /// Number of bytes in the file.
    size: u64,
    redacted: Option<Redacted>,
}

/// State of a content that is redacted.
#[derive(Debug, Clone)]
struct Redacted {
    stream: RedactionStream,
    /// Hash of the bytes as received.
    received: Sha256,
}

/// A content whose file is complete.
#[derive(Debug)]
pub struct Received {
    held: Held,
    file: Arc<TemporaryFile>,
    sha256: Digest,
    size: u64,
    /// SHA-256 of the bytes as received.
    received_sha256: Digest,
    is_redacted: bool,
}

impl Upload {
    /// Takes the next bytes.
    pub async fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.size += bytes.len() as u64;
        if self.size > self.max_bytes {
            return Err(too_large(self.max_bytes));
        }
        self.held.grow_to(self.size)?;
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= TUNING.attachment_chunk_bytes { self.flush(false).await } else { Ok(()) }
    }

    /// Writes the rest. The file is then complete and durable.
    pub async fn finish(mut self) -> Result<Received, Failure> {
        self.flush(true).await?;
        let Self { mut held, content: Content { file, hasher, size, redacted }, .. } = self;
        held.shrink_to(size);
        let sha256 = hasher.finalize().into();
        let (received_sha256, is_redacted) = match redacted {
            Some(redacted) => (redacted.received.finalize().into(), redacted.stream.has_matches()),
            None => (sha256, false),
        };
        Ok(Received { held, file, sha256, size, received_sha256, is_redacted })
    }

    async fn flush(&mut self, is_last: bool) -> Result<(), Failure> {
        let (pending, mut content) = (std::mem::take(&mut self.pending), self.content.clone());
        let work = move || {
            match &mut content.redacted {
                None => content.append(&pending)?,
                Some(redacted) => {
                    redacted.received.update(&pending);
                    let bytes = redacted.stream.take(&pending, is_last);
                    content.append(&bytes)?;
                }
            }
            if is_last {
                content.file.sync()?;
            }
            Ok((content, pending))
        };
        (self.content, self.pending) = blocking(work).await?;
        self.pending.clear();
        Ok(())
    }
}

impl Content {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
        self.file.append(bytes)
    }
}

impl Received {
    /// Returns the SHA-256 of the bytes as received, before their redaction.
    pub fn received_sha256(&self) -> &Digest {
        &self.received_sha256
    }
}

/// Bytes that all stored and incoming contents take on disk.
#[derive(Debug)]
struct Room {
    limit: u64,
    taken: Mutex<u64>,
    /// Holds the bytes that changed without an upload.
    bounds: Arc<Bounds>,
}

impl Room {
    /// Returns the bytes that are taken now if `more` fit in addition.
    fn check(&self, more: u64) -> Result<MutexGuard<'_, u64>, Failure> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        self.take_change(&mut taken);
        if taken.saturating_add(more) > self.limit {
            return Err(Failure::new(ErrorCode::AttachmentsFull).with("limit", self.limit));
        }
        Ok(taken)
    }

    /// Subtracts the bytes that deletions freed, and adds those of a stream.
    fn take_change(&self, taken: &mut u64) {
        let change = self.bounds.attachment_bytes_change.swap(0, Ordering::Relaxed);
        *taken = taken.saturating_add_signed(change);
    }
}

/// Reserved bytes of the room; dropping it gives them back.
#[derive(Debug)]
struct Held {
    room: Arc<Room>,
    bytes: u64,
}

impl Held {
    /// Reserves more blocks, so that it holds those of a content of `size` bytes.
    fn grow_to(&mut self, size: u64) -> Result<(), Failure> {
        let more = disk_bytes(size).saturating_sub(self.bytes);
        *self.room.check(more)? += more;
        self.bytes += more;
        Ok(())
    }

    /// Gives blocks back, so that it holds those of a content of `size` bytes.
    fn shrink_to(&mut self, size: u64) {
        let less = self.bytes.saturating_sub(disk_bytes(size));
        *self.room.taken.lock().unwrap_or_else(PoisonError::into_inner) -= less;
        self.bytes -= less;
    }

    /// Makes the reservation permanent: dropping it no longer gives bytes back.
    fn keep(&mut self) {
        self.bytes = 0;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.room.taken.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
    }
}

fn too_large(limit: u64) -> Failure {
    Failure::new(ErrorCode::PayloadTooLarge).with("limit", limit)
}

/// Runs file work on another thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| ErrorCode::Internal)?;
    done.map_err(|error| {
        let code = file_code(&error);
        tracing::warn!(code = code.as_str(), os = error.raw_os_error(), "an attachment was not written");
        code.into()
    })
}
