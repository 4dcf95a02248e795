/** Renders events as NDJSON: one row a line (rule FMT-09). Pure. */
import { type EventRow, renderEventLine, renderMembers } from '../render.ts';
import { type SnapshotHead, snapshotMembers } from './snapshot.ts';

/** Renders a row as a line; line breaks between the tokens of its metadata become spaces (rule MET-03). */
export function ndjsonRow(row: EventRow): string {
  return `${renderEventLine(row)}\n`;
}

/** Renders the first line of a snapshot: its object without `data`. */
export function ndjsonHead(head: SnapshotHead): string {
  return `${renderMembers(snapshotMembers(head))}\n`;
}
