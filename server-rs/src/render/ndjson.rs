//! Renders events as NDJSON: one row a line (rule FMT-09).

use rusqlite::Row;

use crate::render::snapshot::{SnapshotHead, snapshot_members};
use crate::render::{LineBreaks, row_object};

/// Appends a row as a line.
pub(crate) fn ndjson_row(out: &mut Vec<u8>, row: &Row<'_>) -> rusqlite::Result<()> {
    row_object(out, row, LineBreaks::AsSpaces)?;
    out.push(b'\n');
    Ok(())
}

/// Renders the first line of a snapshot: its object without `data`.
pub(crate) fn ndjson_head(head: &SnapshotHead<'_>) -> Vec<u8> {
    let mut out = snapshot_members(head, 0);
    out.extend_from_slice(b"}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ndjson_snapshot_starts_with_its_revision() {
        let head = SnapshotHead { topic: "events", epoch: "e", revision: 7, since: None, is_reset: true };
        let line = b"{\"topic\":\"events\",\"epoch\":\"e\",\"revision\":\"7\",\"reset\":true}\n";
        assert_eq!(ndjson_head(&head), line);
    }
}
