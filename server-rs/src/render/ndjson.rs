//! Renders events as NDJSON: one row a line (rule FMT-09).

use rusqlite::Row;

use crate::render::{Lines, SnapshotParts, row_object, snapshot_head};

/// Appends a row as a line.
pub(crate) fn ndjson_row(out: &mut Vec<u8>, row: &Row<'_>) -> rusqlite::Result<()> {
    row_object(out, row, Lines::One)?;
    out.push(b'\n');
    Ok(())
}

/// The line that a snapshot begins with: its object without `data`.
pub(crate) fn ndjson_head(parts: &SnapshotParts<'_>) -> Vec<u8> {
    let mut out = snapshot_head(parts);
    out.extend_from_slice(b"}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_begins_with_its_revision() {
        let parts = SnapshotParts {
            topic: "events",
            epoch: "e",
            revision: 7,
            since: None,
            is_reset: true,
            data: b"",
        };
        let line = b"{\"topic\":\"events\",\"epoch\":\"e\",\"revision\":\"7\",\"reset\":true}\n";
        assert_eq!(ndjson_head(&parts), line);
    }
}
