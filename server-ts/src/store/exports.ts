/**
 * Reads events in several pages, in NDJSON and Arrow (rule FMT-09).
 *
 * Runs in a reader's thread. Invariants: each page is a read of its own, a bounded search, and may have no rows (rule
 * GET-12). The rows end with the newest id at the start of the export.
 */
import { LIMITS } from '../contract.ts';
import { ndjsonHead, ndjsonRow } from '../render/ndjson.ts';
import { type StoredRow, storedMetadataOf } from '../render/stored.ts';
import { type EventRow, ROW } from '../render.ts';
import { libraries } from './event-pages.ts';
import type { Texts } from './event-rows.ts';
import { searchEvents } from './event-search.ts';
import { type EventFilter, NO_UPPER_BOUND, type Queries } from './query.ts';
import type { ExportPage, ExportRead } from './read.ts';

/** Initial memory for the lines of a page. */
const FIRST_BYTES = 1 << 16;
/** Largest number of UTF-8 bytes of a UTF-16 code unit. */
const MOST_BYTES = 3;

/** The events of an export that are not read yet. */
export class Export {
  private readonly queries: Queries;
  private readonly texts: Texts;
  private readonly rest: ExportRead;

  constructor(queries: Queries, texts: Texts, rest: ExportRead) {
    this.queries = queries;
    this.texts = texts;
    this.rest = rest;
  }

  /** Reads the next page; returns it with the read of the page after it. */
  read(): ExportPage {
    const { filter, left, format, newest = this.queries.newestRevision() } = this.rest;
    const bounded = { ...filter, before: Math.min(filter.before ?? NO_UPPER_BOUND, newest + 1) };
    const asked = Math.min(left, LIMITS.export_page_rows);
    const page = new PageRead();
    const read = format === 'arrow' ? this.arrowPage(bounded, asked, page) : this.lines(bounded, asked, page);
    const { bytes, next } = read;
    if (next === null || page.rows === left) return { bytes, next: undefined };
    const cursor = filter.order === 'asc' ? { after: next } : { before: next };
    const behind = { filter: { ...bounded, ...cursor }, left: left - page.rows };
    return { bytes, next: { kind: 'export', format, ...behind, newest, isFirst: false } };
  }

  private lines(filter: EventFilter, asked: number, page: PageRead): Piece {
    const { head } = this.rest;
    const lines = new Lines();
    if (head !== undefined) lines.push(ndjsonHead(head));
    const { next } = searchEvents(this.queries, 'readable', filter, asked, (row: EventRow) => {
      lines.push(ndjsonRow(row));
      return page.note(metadataBytes(row));
    });
    return { bytes: lines.finish(), next };
  }

  private arrowPage(filter: EventFilter, asked: number, page: PageRead): Piece {
    const { isFirst, head, left } = this.rest;
    const rows: StoredRow[] = [];
    const { next } = searchEvents(this.queries, 'stored', filter, asked, (row: StoredRow) => {
      rows.push(row);
      return page.note(Buffer.byteLength(storedMetadataOf(row)));
    });
    const place = { isFirst, isLast: next === null || page.rows === left };
    return { bytes: libraries.arrow!.arrowPage(rows, this.texts, place, head), next };
  }
}

/** The bytes of a page, and the cursor of the page after it. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly next: number | null;
}

/** Lines as concatenated UTF-8, in memory of their own. */
export class Lines {
  private memory = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private length = 0;

  push(line: string): void {
    const needed = this.length + line.length * MOST_BYTES;
    if (needed > this.memory.length) {
      this.memory = Buffer.from(this.memory.buffer.transfer(Math.max(needed, 2 * this.memory.length)));
    }
    this.length += this.memory.write(line, this.length);
  }

  /** Returns all lines in memory of their exact size, which V8 counts in the thread that sends the page. */
  finish(): Uint8Array {
    return new Uint8Array(this.memory.buffer.transfer(this.length));
  }
}

/** The current state of an export page. */
class PageRead {
  rows = 0;
  private metadataBytes = 0;

  /** Counts a row; returns whether the page has room for another one. */
  note(metadataBytes: number): boolean {
    this.rows++;
    this.metadataBytes += metadataBytes;
    return this.metadataBytes < LIMITS.export_page_bytes;
  }
}

function metadataBytes(row: EventRow): number {
  return Buffer.byteLength(String(row[ROW.metadata]));
}
