/**
 * Reads pages of events in the format of their answer (rules GET-01, FMT-08 and FMT-09).
 *
 * Runs in a reader's thread. The libraries of the formats are loaded when the first answer needs them.
 * Invariant: each page of an export is a read of its own, and one page is in memory at a time.
 */
import { LIMITS } from '../contract.ts';
import type { Format } from '../formats/index.ts';
import { ndjsonHead, ndjsonRow } from '../render/ndjson.ts';
import { type StoredRow, storedIdOf, storedMetadataOf } from '../render/stored.ts';
import { type EventRow, idOf, ROW, renderEvents, renderSnapshot, type SnapshotParts } from '../render.ts';
import { Texts } from './event-rows.ts';
import { type EventFilter, NO_UPPER_BOUND, type Queries } from './query.ts';
import type { ExportPage, ExportRead } from './read.ts';

/** The memory that the lines of a page begin with. */
const FIRST_BYTES = 1 << 16;
/** Of UTF-8, for each UTF-16 code unit. */
const MOST_BYTES = 3;

const libraries: {
  msgpack?: typeof import('../render/msgpack.ts');
  protobuf?: typeof import('../render/protobuf.ts');
  arrow?: typeof import('../render/arrow.ts');
} = {};

/** Loads the library of a format; nothing where there is none to load. */
export function loadRenderer(format: Format): Promise<void> | undefined {
  if (format === 'json' || format === 'ndjson' || libraries[format] !== undefined) return undefined;
  return load(format);
}

async function load(format: 'msgpack' | 'protobuf' | 'arrow'): Promise<void> {
  if (format === 'msgpack') libraries.msgpack = await import('../render/msgpack.ts');
  else if (format === 'protobuf') libraries.protobuf = await import('../render/protobuf.ts');
  else libraries.arrow = await import('../render/arrow.ts');
}

/** A page, and whether more rows follow. */
interface EventPage<Data> {
  readonly data: Data;
  readonly more: boolean;
}

/** What was read of the events since a revision: them, or all where they cannot be told apart. */
export type SnapshotHead = Omit<SnapshotParts, 'data'>;

export class EventPages {
  private readonly queries: Queries;
  private readonly texts: Texts;

  constructor(queries: Queries) {
    this.queries = queries;
    this.texts = new Texts(queries);
  }

  /** Up to `limit` rows, as one answer. */
  page(format: Format, filter: EventFilter): EventPage<string | Uint8Array> {
    if (format !== 'msgpack' && format !== 'protobuf') {
      const { rows, more } = this.queries.listEvents(filter);
      return { data: renderEvents(rows, more ? idOf(rows.at(-1)!) : null), more };
    }
    const { rows, more } = this.queries.listStored(filter);
    const page =
      format === 'msgpack'
        ? new libraries.msgpack!.MsgpackRows(this.texts)
        : new libraries.protobuf!.ProtobufRows(this.texts);
    for (const row of rows) page.push(row);
    return { data: page.page(more ? storedIdOf(rows.at(-1)!) : null), more };
  }

  /** A snapshot of the topic `events` as one answer. */
  snapshot(format: Format, head: SnapshotHead, data: string | Uint8Array): string | Uint8Array {
    if (typeof data === 'string') return renderSnapshot({ ...head, data });
    const parts = { ...head, data };
    return format === 'msgpack'
      ? libraries.msgpack!.msgpackSnapshot(parts)
      : libraries.protobuf!.protobufSnapshot(parts);
  }

  /** The next page of an export, and the read of the page behind it. */
  exportPage(read: ExportRead): ExportPage {
    const { filter, left, format, newest = this.queries.newestRevision() } = read;
    const bounded = { ...filter, before: Math.min(filter.before ?? NO_UPPER_BOUND, newest + 1) };
    const asked = Math.min(left, LIMITS.export_page_rows);
    const page = new PageRead(asked, left);
    const bytes = format === 'arrow' ? this.arrowPage(read, bounded, page) : this.lines(read, bounded, page);
    const cursor = filter.order === 'asc' ? { after: page.last } : { before: page.last };
    const next: ExportRead | undefined = page.isFollowed
      ? {
          kind: 'export',
          format,
          filter: { ...bounded, ...cursor },
          left: left - page.rows,
          newest,
          isFirst: false,
        }
      : undefined;
    return { bytes, next };
  }

  private lines(read: ExportRead, filter: EventFilter, page: PageRead): Uint8Array {
    const lines = new Lines();
    if (read.head !== undefined) lines.push(ndjsonHead(read.head));
    for (const row of this.queries.events(filter, page.asked)) {
      lines.push(ndjsonRow(row));
      if (!page.note(idOf(row), metadataBytes(row))) break;
    }
    return lines.finish();
  }

  private arrowPage(read: ExportRead, filter: EventFilter, page: PageRead): Uint8Array {
    const rows: StoredRow[] = [];
    for (const row of this.queries.storedEvents(filter, page.asked)) {
      rows.push(row);
      if (!page.note(storedIdOf(row), Buffer.byteLength(storedMetadataOf(row)))) break;
    }
    const place = { isFirst: read.isFirst, isLast: !page.isFollowed };
    return libraries.arrow!.arrowPage(rows, this.texts, place, read.head);
  }
}

/** Lines as UTF-8, end to end, in memory of their own. */
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

  /** All of them; V8 is not told of more memory than they take. */
  finish(): Uint8Array {
    return new Uint8Array(this.memory.buffer.transfer(this.length));
  }
}

/** What a page of an export has so far. */
class PageRead {
  rows = 0;
  last = 0;
  /** How many rows the page may have, and the export. */
  readonly asked: number;
  private readonly left: number;
  private metadataBytes = 0;

  constructor(asked: number, left: number) {
    this.asked = asked;
    this.left = left;
  }

  /** Notes a row; whether the page goes on behind it. */
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
