/**
 * The events of a run: a pool from the generator or a corpus, which is sent repeatedly with fresh ids.
 *
 * Invariant: a pool is a function of its seed or its file, so that both servers get the same bytes. Only the two ids of
 * an event change; metadata keeps every byte. The digest of the pool shows whether two runs are comparable.
 */
import { createHash } from 'node:crypto';
import { readCorpus } from '@twin-ingest/testkit/events/corpus.ts';
import { memberSpans } from '@twin-ingest/testkit/events/metadata-span.ts';
import { quantile } from '../analyse/statistics.ts';
import { BenchFailure } from '../failure.ts';
import { PLACE_WORDS, type PoolSize } from './bodies.ts';
import { generateLines, generateSmallLines } from './payload.ts';
import { UUID_BYTES } from './uuid.ts';

export interface PoolSource {
  /** NDJSON file, optionally compressed with gzip; `undefined`: the events are generated. */
  readonly corpus: string | undefined;
  /** Kind of the generated events; default `mixed`: the sizes of real agents' events. */
  readonly payload?: 'mixed' | 'small';
  readonly seed: number;
  /** Maximum number of events that are kept in memory. */
  readonly most: number;
}

export type Pool = Awaited<ReturnType<typeof loadPool>>;

export type PoolFacts = Readonly<Pool['facts']>;

/** Reads or generates the events. Fails with `corpus_unusable` at the first line that cannot be an event. */
export async function loadPool(source: PoolSource) {
  const { corpus, payload, seed, most } = source;
  const generate = payload === 'small' ? generateSmallLines : generateLines;
  const templates: Template[] = [];
  let line = 1;
  try {
    for await (const text of corpus === undefined ? generate(seed) : readCorpus(corpus)) {
      if (text.trim() !== '') templates.push(templateOf(text));
      if (templates.length >= most) break;
      line++;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BenchFailure('corpus_unusable', `line ${line} of the corpus: ${why}`);
  }
  if (templates.length === 0) throw new BenchFailure('corpus_unusable', 'the corpus holds no event');
  return poolOf(source, templates);
}

const PLACEHOLDER = '0'.repeat(UUID_BYTES);

type Template = ReturnType<typeof templateOf>;

/**
 * Returns the bytes of one event's JSON text with placeholders of a UUID's length as its ids, and their offsets. `idAt`
 * is -1 without an id. Throws when the text cannot be an event: the contract requires an object with a `session_id`. For
 * a duplicate key, the last value counts.
 */
function templateOf(line: string) {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new TypeError('not a JSON object');
  const { session_id, event_id } = parsed as { readonly session_id?: unknown; readonly event_id?: unknown };
  if (typeof session_id !== 'string') throw new TypeError('no session_id that is a string');
  // An id of white space counts as absent (contract, rule of `event_id`), so it gets no fresh id.
  const hasId = typeof event_id === 'string' && event_id.trim() !== '';
  const members = memberSpans(line);
  const last = (name: string) => members.findLast(({ key }) => key === name)!;
  const ids = hasId ? [last('session_id'), last('event_id')] : [last('session_id')];
  const places = new Map<string, number>();
  let [text, end] = ['', 0];
  for (const { key, at, text: id } of ids.toSorted((a, b) => a.at - b.at)) {
    text += line.slice(end, at + 1);
    places.set(key, Buffer.byteLength(text));
    text += PLACEHOLDER;
    end = at + id.length - 1;
  }
  const [sessionAt, idAt = -1] = [places.get('session_id')!, places.get('event_id')];
  return { bytes: Buffer.from(text + line.slice(end)), idAt, sessionAt, session_id };
}

const COMMA = Buffer.from(',');

function poolOf({ corpus, seed }: PoolSource, templates: readonly Template[]) {
  const sessions = new Map<string, number>();
  const places = new Uint32Array(templates.length * PLACE_WORDS);
  const digest = createHash('sha256');
  let offset = 0;
  for (const [i, { bytes, idAt, sessionAt, session_id }] of templates.entries()) {
    if (!sessions.has(session_id)) sessions.set(session_id, sessions.size);
    places.set([offset, bytes.length, idAt + 1, sessionAt, sessions.get(session_id)!], i * PLACE_WORDS);
    offset += bytes.length + COMMA.length;
    digest.update(bytes).update('\n');
  }
  const joined = Buffer.concat(templates.flatMap(({ bytes }) => [bytes, COMMA]));
  const sizes = templates.map(({ bytes }) => bytes.length).sort((a, b) => a - b);
  const at = (share: number) => quantile(sizes, share);
  const percentiles = { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const size: PoolSize = { seed, events: templates.length, sessions: sessions.size };
  const facts = {
    source: corpus === undefined ? 'generated' : 'corpus',
    ...size,
    with_event_id: templates.filter(({ idAt }) => idAt >= 0).length,
    bytes,
    /** SHA-256 over the events in order, without their ids. */
    sha256: digest.digest('hex'),
    event_bytes: { ...percentiles, mean: bytes / sizes.length },
  } as const;
  return { ...size, places, bytes: joined.subarray(0, -COMMA.length), facts };
}
