//! Handles `/api/events/{id}/attachments`, `/api/events/{id}/attachments/{name}` and `/api/attachments/{sha256}`.
//!
//! Invariant: at most one chunk of a content is in memory. Each chunk is a read of its own, so a slow client holds no
//! descriptor.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use futures_util::stream;
use http::{Method, Uri};

use crate::app::App;
use crate::attachments::Reference;
use crate::contract::TUNING;
use crate::digest::{Digest, parse_digest};
use crate::error::{ErrorCode, Failure};
use crate::http::attachment_names::{attachment_name, media_type};
use crate::http::body::{declared_length, next_frame};
use crate::http::content_digest::{check_digest, declared_digest};
use crate::http::etag::has_etag;
use crate::http::events::event_id;
use crate::http::exchange::Exchange;
use crate::http::inflate::{Encoding, encoding_of};
use crate::http::range::{Part, wanted_part};
use crate::http::reply;
use crate::render::render_attachments;
use crate::store::attachment_files::AttachmentFiles;
use crate::store::attachments::{find_attachment_file, has_event, list_attachments};
use crate::store::cost::Cost;
use crate::store::failure::file_code;

/// `PUT /api/events/{id}/attachments/{name}` (rules ATT-01 to ATT-05).
pub async fn put_attachment(State(app): State<Arc<App>>, uri: Uri, exchange: Exchange) -> reply::Reply {
    let segments: Vec<&str> = uri.path().rsplit('/').collect();
    let name = attachment_name(segments.first().copied().unwrap_or_default())?;
    let event = event_id(segments.get(2).copied().unwrap_or_default())?;
    app.await_event(event).await?;
    let is_there = app.store.read(Cost::Bounded, move |connection| has_event(connection, event));
    if !is_there.await? {
        return Err(ErrorCode::NotFound.into());
    }
    let Exchange { headers, body: slot, deadline, .. } = &exchange;
    let media_type = media_type(headers)?;
    if encoding_of(headers)? != Encoding::Identity {
        return Err(ErrorCode::UnsupportedEncoding.into());
    }
    let declared = declared_digest(headers)?;
    let mut upload = app.attachments.begin(declared_length(headers)).await?;
    let mut body = slot.take().ok_or(ErrorCode::Internal)?;
    while let Some(bytes) = next_frame(&mut body, *deadline).await? {
        upload.take(&bytes).await.map_err(Failure::closing)?;
    }
    let received = upload.finish().await?;
    check_digest(declared.as_deref(), received.received_sha256())?;
    let kept = app.attachments.keep(received, Reference { event, name, media_type: media_type.clone() });
    Ok(reply::kept(&kept.await?, &media_type))
}

/// `GET /api/events/{id}/attachments` (rule ATT-06).
pub async fn get_attachments(State(app): State<Arc<App>>, uri: Uri, _: Exchange) -> reply::Reply {
    let event = event_id(uri.path().rsplit('/').nth(1).unwrap_or_default())?;
    let json = app.store.read(Cost::Bounded, move |connection| {
        if !has_event(connection, event)? {
            return Ok(None);
        }
        render_attachments(&|row| list_attachments(connection, event, row)).map(Some)
    });
    Ok(reply::ok(json.await?.ok_or(ErrorCode::NotFound)?))
}

/// `GET /api/attachments/{sha256}` (rules ATT-07 and ATT-08).
pub async fn get_attachment(
    State(app): State<Arc<App>>,
    method: Method,
    uri: Uri,
    exchange: Exchange,
) -> reply::Reply {
    let text = uri.path().rsplit('/').next().unwrap_or_default();
    let digest = parse_digest(text).ok_or(ErrorCode::NotFound)?;
    let found = app.store.read(Cost::Bounded, move |connection| find_attachment_file(connection, &digest));
    let file = found.await?.ok_or(ErrorCode::NotFound)?;
    let (etag, headers) = (format!("\"{text}\""), &exchange.headers);
    if has_etag(headers, &etag) {
        return Ok(reply::attachment_not_modified(&etag));
    }
    let (files, size) = (Arc::clone(app.store.attachment_files()), file.size);
    let is_whole = tokio::task::spawn_blocking(move || files.has(&digest, size)).await;
    if !is_whole.map_err(|_| ErrorCode::Internal)?.map_err(|error| file_code(&error))? {
        tracing::error!(sha256 = text, "the file of an attachment is not there");
        return Err(ErrorCode::NotFound.into());
    }
    let part = if method == Method::GET { wanted_part(headers, &etag, size) } else { Part::Whole };
    let (start, end) = match part {
        Part::Whole => (0, size),
        Part::Bytes { first, last } => (first, last + 1),
        Part::Nothing => return Ok(reply::range_not_satisfiable(size)),
    };
    let body = content_body(Arc::clone(app.store.attachment_files()), digest, start, end);
    Ok(reply::attachment(body, &file, &etag, part))
}

/// Streams the bytes of a content from `start` up to `end`; reads a chunk when the client takes the one before.
fn content_body(files: Arc<AttachmentFiles>, digest: Digest, start: u64, end: u64) -> Body {
    let chunks = stream::try_unfold(start, move |at| {
        let files = Arc::clone(&files);
        async move {
            let length = usize::try_from(end - at).unwrap_or(usize::MAX).min(TUNING.attachment_chunk_bytes);
            if length == 0 {
                return Ok(None);
            }
            let read = tokio::task::spawn_blocking(move || files.read(&digest, at, length)).await;
            let bytes = read.unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
            bytes
                .map(|bytes| Some((Bytes::from(bytes), at + length as u64)))
                .inspect_err(|error| tracing::error!(os = error.raw_os_error(), "an attachment was not read"))
        }
    });
    Body::from_stream(chunks)
}
