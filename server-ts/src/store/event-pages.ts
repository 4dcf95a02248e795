/**
 * Reads a page of events in the format of its answer (rules GET-01 and FMT-08).
 *
 * Runs in a reader's thread. Invariant: a page costs a bounded search, so it may have fewer rows than its limit (rule
 * GET-12). The first answer in a format loads its library.
 */
import type { Format } from '../formats/index.ts';
import { renderSnapshot, type SnapshotHead } from '../render/snapshot.ts';
import type { StoredRow } from '../render/stored.ts';
import { renderEvents } from '../render.ts';
import type { Texts } from './event-rows.ts';
import { listEvents, searchEvents } from './event-search.ts';
import type { EventFilter, Queries } from './query.ts';

/** The modules that render the formats, which load their libraries. Each is absent until an answer needs it. */
export const libraries: {
  msgpack?: typeof import('../render/msgpack.ts');
  protobuf?: typeof import('../render/protobuf.ts');
  arrow?: typeof import('../render/arrow.ts');
} = {};

/** Loads the module that renders a format; returns `undefined` when it is loaded or needs no library. */
export function loadRenderer(format: Format): Promise<void> | undefined {
  if (format === 'json' || format === 'ndjson' || libraries[format] !== undefined) return undefined;
  return load(format);
}

async function load(format: 'msgpack' | 'protobuf' | 'arrow'): Promise<void> {
  if (format === 'msgpack') libraries.msgpack = await import('../render/msgpack.ts');
  else if (format === 'protobuf') libraries.protobuf = await import('../render/protobuf.ts');
  else libraries.arrow = await import('../render/arrow.ts');
}

/** A page of events. */
interface EventPage {
  readonly data: string | Uint8Array;
  /** Whether more rows follow. */
  readonly more: boolean;
}

/** Reads up to `limit` rows. For formats in several pages only `exports` reads pages. */
export function readPage(queries: Queries, texts: Texts, format: Format, filter: EventFilter): EventPage {
  if (format !== 'msgpack' && format !== 'protobuf') {
    const { rows, reached } = listEvents(queries, filter);
    return { data: renderEvents(rows, reached), more: reached.next !== null };
  }
  const page =
    format === 'msgpack'
      ? new libraries.msgpack!.MsgpackRows(texts)
      : new libraries.protobuf!.ProtobufRows(texts);
  const reached = searchEvents(queries, 'stored', filter, filter.limit, (row: StoredRow) => {
    page.push(row);
    return true;
  });
  return { data: page.page(reached), more: reached.next !== null };
}

/** Returns a snapshot whose data is a page in the same format, or JSON text. */
export function pageSnapshot(
  format: Format,
  head: SnapshotHead,
  data: string | Uint8Array,
): string | Uint8Array {
  if (typeof data === 'string') return renderSnapshot(head, data);
  return format === 'msgpack'
    ? libraries.msgpack!.msgpackSnapshot(head, data)
    : libraries.protobuf!.protobufSnapshot(head, data);
}
