/**
 * Reads events in several pages, in NDJSON and Arrow (rule FMT-09).
 *
 * Runs in a reader's thread. Invariants: each page is a read of its own, of bounded size. The rows end with the
 * newest id at the start of the export.
 */
import { LIMITS } from '../contract.ts';
import { ndjsonHead, ndjsonRow } from '../render/ndjson.ts';
import { type StoredRow, storedIdOf, storedMetadataOf } from '../render/stored.ts';
import { type EventRow, idOf, ROW } from '../render.ts';
import { libraries } from './event-pages.ts';
import type { Texts } from './event-rows.ts';
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
    const page = new PageRead(asked, left);
    const bytes = format === 'arrow' ? this.arrowPage(bounded, page) : this.lines(bounded, page);
    if (!page.isFollowed) return { bytes, next: undefined };
    const cursor = filter.order === 'asc' ? { after: page.last } : { before: page.last };
    const behind = { filter: { ...bounded, ...cursor }, left: left - page.rows };
    return { bytes, next: { kind: 'export', format, ...behind, newest, isFirst: false } };
  }

  private lines(filter: EventFilter, page: PageRead): Uint8Array {
    const { head } = this.rest;
    const lines = new Lines();
    if (head !== undefined) lines.push(ndjsonHead(head));
    for (const row of this.queries.events(filter, page.asked)) {
      lines.push(ndjsonRow(row));
      if (!page.note(idOf(row), metadataBytes(row))) break;
    }
    return lines.finish();
  }

  private arrowPage(filter: EventFilter, page: PageRead): Uint8Array {
    const { isFirst, head } = this.rest;
    const rows: StoredRow[] = [];
    for (const row of this.queries.storedEvents(filter, page.asked)) {
      rows.push(row);
      if (!page.note(storedIdOf(row), Buffer.byteLength(storedMetadataOf(row)))) break;
    }
    const place = { isFirst, isLast: !page.isFollowed };
    return libraries.arrow!.arrowPage(rows, this.texts, place, head);
  }
}

/** Lines as concatenated UTF-8, in memory of their own. */
class Lines {
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
  /** The id of the last row. */
  last = 0;
  /** Largest number of rows of the page; `left` is that of the export. */
  readonly asked: number;
  private readonly left: number;
  private metadataBytes = 0;

  constructor(asked: number, left: number) {
    this.asked = asked;
    this.left = left;
  }

  /** Counts a row; returns whether the page has room for another one. */
  note(id: number, metadataBytes: number): boolean {
    this.rows++;
    this.last = id;
    this.metadataBytes += metadataBytes;
    return !this.isFull;
  }

  /** Whether another page may follow. */
  get isFollowed(): boolean {
    return this.rows < this.left && (this.rows === this.asked || this.isFull);
  }

  private get isFull(): boolean {
    return this.metadataBytes >= LIMITS.export_page_bytes;
  }
}

function metadataBytes(row: EventRow): number {
  return Buffer.byteLength(String(row[ROW.metadata]));
}
