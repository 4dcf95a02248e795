/** Renders events as NDJSON: one row a line (rule FMT-09). Pure. */
import { type EventRow, renderEventLine, renderMembers } from '../render.ts';
import { type SnapshotHead, snapshotMembers } from './snapshot.ts';

/** A row as a line; a line break between the tokens of its metadata becomes a space (rule MET-03). */
export function ndjsonRow(row: EventRow): string {
  return `${renderEventLine(row)}\n`;
}

/** The line that a snapshot begins with: its object without `data`. */
export function ndjsonHead(head: SnapshotHead): string {
  return `${renderMembers(snapshotMembers(head))}\n`;
}
