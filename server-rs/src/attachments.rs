//! Receives attachments: admits their bytes, writes them to a temporary file while it computes their SHA-256, and has the
//! writer store them (rules ATT-01, ATT-04 and ATT-10).
//!
//! Invariants: of each body no more than a chunk and one read are in memory; the bytes of all contents and of those that
//! are being received stay within `--attachments-bytes`; an upload that ends early leaves no file behind.
//! Knows nothing of HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::config::Config;
use crate::contract::{LIMITS, VOCABULARY};
use crate::digest::Digest;
use crate::error::{ErrorCode, Failure};
use crate::store::Store;
use crate::store::attachment_files::TemporaryFile;
use crate::store::attachments::{Attached, Attachment};
use crate::store::failure::file_code;

/// Receives attachments and counts their bytes.
#[derive(Debug)]
pub struct Attachments {
    store: Arc<Store>,
    max_bytes: u64,
    room: Arc<Room>,
    /// Metadata above this many bytes is a summary.
    max_metadata_bytes: usize,
    keeps_payloads: bool,
}

/// Which event gets a content, and how it is called there.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each is the column of its name")]
pub struct Reference {
    pub event: i64,
    pub name: String,
    pub media_type: String,
}

/// An attachment that the store has.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The event did not have it before.
    pub is_new: bool,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// How many they are.
    pub size: u64,
}

impl Attachments {
    /// Attachments of a store, within the limits of the configuration.
    pub fn new(store: Arc<Store>, config: &Config) -> Self {
        let room = Room { limit: config.attachments_bytes, taken: Mutex::new(store.attachment_bytes()) };
        Self {
            store,
            max_bytes: config.max_attachment_bytes,
            room: Arc::new(room),
            max_metadata_bytes: config.max_metadata_bytes,
            keeps_payloads: config.keep_hook_payloads,
        }
    }

    /// Begins to receive a content; `declared` is its length where that is known.
    pub async fn begin(&self, declared: Option<u64>) -> Result<Upload, Failure> {
        if let Some(length) = declared.filter(|length| *length > self.max_bytes) {
            return Err(too_large(self.max_bytes).with("actual", length).closing());
        }
        if let Some(code) = self.store.state().refusal() {
            return Err(code.into());
        }
        let mut held = Held { room: Arc::clone(&self.room), bytes: 0 };
        held.grow_to(declared.unwrap_or(0))?;
        let files = Arc::clone(self.store.attachment_files());
        let file = blocking(move || files.begin()).await?;
        let content = Content { file: Arc::new(file), hasher: Sha256::new() };
        Ok(Upload { max_bytes: self.max_bytes, held, content, pending: Vec::new(), size: 0 })
    }

    /// Has the writer refer to a content that was received.
    pub async fn keep(&self, received: Received, reference: Reference) -> Result<Kept, Failure> {
        let Received { mut held, file, sha256, size } = received;
        let Reference { event, name, media_type } = reference;
        let stored = self.store.attach(Attachment { event, name, media_type, sha256, size, file });
        // A client that leaves does not undo the commit, so its bytes have to be counted all the same.
        let counted = tokio::spawn(async move {
            let stored = stored.await;
            if stored == Ok(Attached::Stored { is_first: true }) {
                held.keep();
            }
            stored
        });
        match counted.await.map_err(|_| ErrorCode::Internal)?? {
            Attached::Stored { .. } => Ok(Kept { is_new: true, sha256, size }),
            Attached::Repeated => Ok(Kept { is_new: false, sha256, size }),
            Attached::Conflict => Err(ErrorCode::AttachmentExists.into()),
        }
    }

    /// A copy of a hook's payload, where it is to be kept once the hook's event is stored (rule ATT-10).
    pub fn payload_to_keep(&self, body: &[u8]) -> Option<Vec<u8>> {
        (self.keeps_payloads && body.trim_ascii().len() > self.max_metadata_bytes).then(|| body.to_vec())
    }

    /// Keeps a hook's payload as an attachment of its event. A failure is logged, since the event stays.
    pub async fn keep_payload(&self, event: i64, payload: Vec<u8>) {
        let spec = &VOCABULARY.hook_payload;
        let (name, media_type) = (spec.name.clone(), spec.media_type.clone());
        let kept = async {
            let mut upload = self.begin(Some(payload.len() as u64)).await?;
            upload.take(&payload).await?;
            self.keep(upload.finish().await?, Reference { event, name, media_type }).await
        };
        if let Err(failure) = kept.await {
            tracing::warn!(code = failure.code.as_str(), event, "the payload of a hook was not kept");
        }
    }
}

/// A content that is being received. Its file is removed when this is dropped.
#[derive(Debug)]
pub struct Upload {
    max_bytes: u64,
    held: Held,
    content: Content,
    pending: Vec<u8>,
    size: u64,
}

/// What is written and hashed on another thread.
#[derive(Debug, Clone)]
struct Content {
    file: Arc<TemporaryFile>,
    hasher: Sha256,
}

/// A content that is in its file, whole.
#[derive(Debug)]
pub struct Received {
    held: Held,
    file: Arc<TemporaryFile>,
    sha256: Digest,
    size: u64,
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
        if self.pending.len() >= LIMITS.attachment_chunk_bytes { self.flush(false).await } else { Ok(()) }
    }

    /// Writes what is left; the file is whole then, and survives what it has to.
    pub async fn finish(mut self) -> Result<Received, Failure> {
        self.flush(true).await?;
        let Self { held, content: Content { file, hasher }, size, .. } = self;
        Ok(Received { held, file, sha256: hasher.finalize().into(), size })
    }

    async fn flush(&mut self, is_last: bool) -> Result<(), Failure> {
        let (pending, mut content) = (std::mem::take(&mut self.pending), self.content.clone());
        let work = move || {
            content.hasher.update(&pending);
            content.file.append(&pending)?;
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

impl Received {
    /// The digest of its bytes.
    pub fn sha256(&self) -> &Digest {
        &self.sha256
    }
}

/// The bytes of all contents, and of those that are being received.
#[derive(Debug)]
struct Room {
    limit: u64,
    taken: Mutex<u64>,
}

/// A part of the room, given back when this is dropped.
#[derive(Debug)]
struct Held {
    room: Arc<Room>,
    bytes: u64,
}

impl Held {
    /// Takes as much as is missing of so many bytes.
    fn grow_to(&mut self, bytes: u64) -> Result<(), Failure> {
        let more = bytes.saturating_sub(self.bytes);
        let mut taken = self.room.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.saturating_add(more) > self.room.limit {
            return Err(Failure::new(ErrorCode::AttachmentsFull).with("limit", self.room.limit));
        }
        *taken += more;
        self.bytes += more;
        Ok(())
    }

    /// Leaves the bytes taken for good.
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

/// Runs work on files on another thread.
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
