//! Stores and reads the rows of attachments: the event, the content and the name of each (rules ATT-01 to ATT-09).
//!
//! Invariant: only the writer renames and removes contents, in the turn in which it stores the row. So no upload can
//! remove a content to which another one has just added a reference. Over 250 lines because the rows of a request and of
//! a stream are stored and read here.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::digest::Digest;
use crate::error::ErrorCode;
use crate::queries;
use crate::store::attachment_files::{AttachmentFiles, MovedAside, TemporaryFile, disk_bytes};
use crate::store::attachment_folder::FolderOwner;
use crate::store::failure::{file_code, store_code};
use crate::store::query::each;

/// A received content, and the row that will refer to it.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each is the column of its name")]
pub struct Attachment {
    pub event: i64,
    pub name: String,
    pub media_type: String,
    pub sha256: Digest,
    pub size: u64,
    /// Its bytes.
    pub file: Arc<TemporaryFile>,
    /// Whether a new one must come through the stream that the database is a copy of.
    pub is_shared: bool,
}

/// The result of storing an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attached {
    /// Its row is new.
    Stored {
        /// Whether no row referred to its content before.
        is_first: bool,
    },
    /// The event already has it.
    Repeated,
    /// The event has another attachment of this name; nothing changed.
    Conflict,
    /// The event was deleted during the upload.
    NoEvent,
    /// It would be new, so it must come through the stream; nothing changed.
    Unshared,
}

/// Reasons why an attachment was not stored.
#[derive(Debug)]
pub enum AttachError {
    /// The database failed.
    Database(rusqlite::Error),
    /// The folder failed.
    Files(std::io::Error),
}

impl From<rusqlite::Error> for AttachError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<std::io::Error> for AttachError {
    fn from(error: std::io::Error) -> Self {
        Self::Files(error)
    }
}

/// Stores attachments; belongs to the writer's thread.
#[derive(Debug)]
pub struct AttachmentWriter {
    files: Arc<AttachmentFiles>,
}

impl AttachmentWriter {
    /// Creates a writer into a folder.
    pub fn new(files: Arc<AttachmentFiles>) -> Self {
        Self { files }
    }

    /// Stores an attachment in a transaction of its own: renames its content first, then commits the row.
    pub(super) fn insert_attachment(
        &self,
        connection: &Connection,
        attachment: &Attachment,
        now_ms: i64,
    ) -> Result<Attached, AttachError> {
        let Attachment { event, name, media_type, sha256, size, file, is_shared } = attachment;
        let transaction = connection.unchecked_transaction()?;
        let row = AttachmentRow { event: *event, name, sha256, size: *size, media_type };
        if let Some(found) = row.find(&transaction)? {
            if found != Attached::Repeated {
                return Ok(found);
            }
            // Adds the content again when a restored folder lacks it.
            if !self.files.has(sha256, *size)? {
                self.files.persist(file, sha256)?;
            }
            return Ok(Attached::Repeated);
        }
        if *is_shared {
            return Ok(Attached::Unshared);
        }
        let is_first = self.note_content(&transaction, sha256)?;
        self.files.persist(file, sha256)?;
        let stored = row.add(&transaction, now_ms, is_first).and_then(|()| transaction.commit());
        match stored {
            Ok(()) => Ok(Attached::Stored { is_first }),
            Err(error) => {
                // After an I/O error the row may still exist, so the content stays. The next start moves it aside if it
                // has no row.
                if is_first && store_code(&error) != ErrorCode::StorageError {
                    drop(self.files.remove(sha256));
                }
                Err(error.into())
            }
        }
    }

    /// Gives a content of the stream its name, before the transaction that stores its row. Without a file only the row
    /// is new.
    pub(super) fn persist(
        &self,
        connection: &Connection,
        file: Option<&TemporaryFile>,
        sha256: &Digest,
    ) -> Result<(), AttachError> {
        self.note_content(connection, sha256)?;
        Ok(file.map_or(Ok(()), |file| self.files.persist(file, sha256))?)
    }

    /// Records in the folder that a content is about to come; returns whether no row refers to it yet.
    fn note_content(&self, connection: &Connection, sha256: &Digest) -> Result<bool, AttachError> {
        let is_first = find_attachment_file(connection, sha256)?.is_none();
        if is_first {
            self.files.note(&folder_owner(connection)?.with_content(sha256))?;
        }
        Ok(is_first)
    }

    /// Returns those of these contents to which no row refers any more, and the bytes that they take on disk.
    pub(super) fn find_unused(
        &self,
        connection: &Connection,
        contents: &[(Digest, u64)],
    ) -> rusqlite::Result<(Vec<Digest>, u64)> {
        let distinct: HashMap<Digest, u64> = contents.iter().copied().collect();
        let (mut unused, mut bytes) = (Vec::new(), 0);
        for (digest, size) in distinct {
            if find_attachment_file(connection, &digest)?.is_none() {
                unused.push(digest);
                bytes += disk_bytes(size);
            }
        }
        Ok((unused, bytes))
    }

    /// Removes a content, unless an upload has added a row for it meanwhile. If the file cannot be removed, the next start
    /// removes it.
    pub(super) fn remove_unused(&self, connection: &Connection, digest: &Digest) -> rusqlite::Result<()> {
        if find_attachment_file(connection, digest)?.is_none()
            && let Err(error) = self.files.remove(digest)
        {
            tracing::warn!(code = file_code(&error).as_str(), "a deleted attachment was not removed");
        }
        Ok(())
    }

    /// Removes contents whose rows were deleted, and sums up what the others take on disk, each content once (rules ATT-04 and
    /// ATT-11). Returns the sum in bytes, and what was moved aside.
    pub(super) fn sweep_attachments(
        &self,
        connection: &Connection,
        owner: &FolderOwner,
    ) -> rusqlite::Result<(u64, Option<MovedAside>)> {
        let (mut known, mut bytes) = (HashSet::new(), 0);
        each(connection, queries::SELECT_ATTACHMENT_FILES, [], |row| {
            known.insert(row.get::<_, Digest>(0)?);
            bytes += disk_bytes(row.get::<_, i64>(1)?.unsigned_abs());
            Ok(())
        })?;
        let swept = self.files.sweep(owner, |digest| known.contains(digest)).unwrap_or_else(|error| {
            tracing::warn!(code = file_code(&error).as_str(), "orphaned attachments were not removed");
            None
        });
        Ok((bytes, swept))
    }
}

/// The row of an attachment.
pub(super) struct AttachmentRow<'a> {
    pub(super) event: i64,
    pub(super) name: &'a str,
    pub(super) sha256: &'a Digest,
    pub(super) size: u64,
    pub(super) media_type: &'a str,
}

impl AttachmentRow<'_> {
    /// Stores the row in the transaction of the caller, unless something forbids it.
    pub(super) fn insert(&self, connection: &Connection, now_ms: i64) -> rusqlite::Result<Attached> {
        if let Some(found) = self.find(connection)? {
            return Ok(found);
        }
        let is_first = find_attachment_file(connection, self.sha256)?.is_none();
        self.add(connection, now_ms, is_first)?;
        Ok(Attached::Stored { is_first })
    }

    /// Returns why the row is not new; `None` when it is.
    fn find(&self, connection: &Connection) -> rusqlite::Result<Option<Attached>> {
        if !has_event(connection, self.event)? {
            return Ok(Some(Attached::NoEvent));
        }
        let known = connection
            .prepare_cached(queries::SELECT_ATTACHMENT)?
            .query_row(params![self.event, self.name], |row| {
                Ok((row.get::<_, Digest>(0)?, row.get::<_, String>(2)?))
            })
            .optional()?;
        let is_same =
            |(sha256, media_type): (Digest, String)| sha256 == *self.sha256 && media_type == self.media_type;
        Ok(known.map(|known| if is_same(known) { Attached::Repeated } else { Attached::Conflict }))
    }

    /// `is_first`: no row refers to the content yet.
    fn add(&self, connection: &Connection, now_ms: i64, is_first: bool) -> rusqlite::Result<()> {
        if is_first {
            let state = folder_owner(connection)?.with_content(self.sha256);
            connection.prepare_cached(queries::UPDATE_ATTACHMENTS_TOKEN)?.execute([state.token])?;
        }
        let Self { event, name, sha256, size, media_type } = self;
        let size = i64::try_from(*size).unwrap_or(i64::MAX);
        let values = params![event, name, sha256, size, media_type, now_ms];
        connection.prepare_cached(queries::INSERT_ATTACHMENT)?.execute(values).map(drop)
    }
}

/// Returns what the folder of attachments must agree with (rule ATT-11).
pub fn folder_owner(connection: &Connection) -> rusqlite::Result<FolderOwner> {
    let mut select = connection.prepare_cached(queries::SELECT_ATTACHMENTS_OWNER)?;
    select.query_row([], |row| Ok(FolderOwner { id: row.get(0)?, token: row.get(1)? }))
}

/// Returns whether an event has this id.
pub fn has_event(connection: &Connection, id: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached(queries::SELECT_EVENT_ID)?.exists([id])
}

/// Visits the attachments of an event, ordered by name (rule ATT-06).
pub fn list_attachments(
    connection: &Connection,
    event: i64,
    visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    each(connection, queries::SELECT_ATTACHMENTS, [event], visit).map(drop)
}

/// A content as its first reference describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the column of its name")]
pub struct AttachmentFile {
    pub name: String,
    pub size: u64,
    pub media_type: String,
}

/// Returns a content that an event refers to (rule ATT-07).
pub fn find_attachment_file(
    connection: &Connection,
    sha256: &Digest,
) -> rusqlite::Result<Option<AttachmentFile>> {
    let read = |row: &Row<'_>| {
        let size = row.get::<_, i64>(1)?.unsigned_abs();
        Ok(AttachmentFile { name: row.get(0)?, size, media_type: row.get(2)? })
    };
    connection.prepare_cached(queries::SELECT_ATTACHMENT_FILE)?.query_row([sha256], read).optional()
}
