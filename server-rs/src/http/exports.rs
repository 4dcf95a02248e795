//! Sends events in several pages, in NDJSON and Arrow (rule FMT-09).
//!
//! Invariants: one page is in memory at a time. A slow client holds no reader.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;

use crate::app::App;
use crate::error::ErrorCode;
use crate::store::cost::Cost;
use crate::store::exports::{Export, ExportPage};

/// Returns a body that starts with the first page. It reads each further page once the client has taken the one
/// before.
pub(crate) fn export_body(app: &Arc<App>, export: Export, cost: Cost, first: ExportPage) -> Body {
    let ExportPage { bytes, is_followed } = first;
    let rest = is_followed.then(|| Rest { app: Arc::clone(app), export, cost });
    let pages = stream::try_unfold((Some(bytes), rest), |(ready, rest)| async {
        match (ready, rest) {
            (Some(bytes), rest) => Ok(Some((Bytes::from(bytes), (None, rest)))),
            (None, None) => Ok(None),
            (None, Some(rest)) => {
                let (bytes, rest) = rest.next().await?;
                Ok::<_, PageFailed>(Some((bytes.into(), (None, rest))))
            }
        }
    });
    Body::from_stream(pages)
}

/// The pages that are not read yet.
struct Rest {
    app: Arc<App>,
    export: Export,
    cost: Cost,
}

impl Rest {
    /// Returns the next page and the rest after it.
    async fn next(self) -> Result<(Vec<u8>, Option<Self>), ErrorCode> {
        let Self { app, mut export, cost } = self;
        let page = app.store.read_spawned(cost, move |connection| {
            let page = export.read(connection)?;
            Ok((page, export))
        });
        let (ExportPage { bytes, is_followed }, export) = page.await?;
        Ok((bytes, is_followed.then_some(Self { app, export, cost })))
    }
}

/// The error of a page that could not be read. It ends the connection before the end of the body.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.as_str())]
struct PageFailed(ErrorCode);

impl From<ErrorCode> for PageFailed {
    fn from(code: ErrorCode) -> Self {
        Self(code)
    }
}
