/**
 * The events of a run: a pool from the generator or a corpus, which is sent repeatedly with fresh ids.
 *
 * Invariant: a pool is a function of its seed or its file, so that both servers get the same bytes. The digest of the
 * pool shows whether two runs are comparable.
 */
import { createHash } from 'node:crypto';
import { readCorpus } from '@twin-ingest/testkit/events/corpus.ts';
import { quantile } from '../analyse/statistics.ts';
import { BenchFailure } from '../failure.ts';
import { type PackedPool, PLACE_WORDS } from './packed-pool.ts';
import { generateLines, generateSmallLines } from './payload.ts';
import { parseTemplate, type Template } from './template.ts';

export interface PoolSource {
  /** NDJSON file, optionally compressed with gzip; `undefined`: the events are generated. */
  readonly corpus: string | undefined;
  /** Kind of the generated events; default `mixed`: the sizes of real agents' events. */
  readonly payload?: 'mixed' | 'small';
  readonly seed: number;
  /** Maximum number of events that are kept in memory. */
  readonly most: number;
}

export interface PoolFacts {
  readonly source: 'generated' | 'corpus';
  readonly seed: number;
  readonly events: number;
  readonly sessions: number;
  readonly with_event_id: number;
  readonly bytes: number;
  /** SHA-256 over the events in order, without their ids. */
  readonly sha256: string;
  readonly event_bytes: Readonly<Record<'p50' | 'p90' | 'p95' | 'p99' | 'max' | 'mean', number>>;
}

export interface Pool extends PackedPool {
  /** `PLACE_WORDS` words for each event. */
  readonly places: Uint32Array;
  /** All events, joined by commas. */
  readonly bytes: Buffer;
  readonly facts: PoolFacts;
}

/** Reads or generates the events. Fails with `corpus_unusable` at the first line that cannot be an event. */
export async function loadPool(source: PoolSource): Promise<Pool> {
  const sessions = new Map<string, number>();
  const templates: Template[] = [];
  const number = (id: string): number => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    sessions.set(id, sessions.size);
    return sessions.size - 1;
  };
  let line = 1;
  try {
    for await (const text of linesOf(source)) {
      if (text.trim() !== '') templates.push(parseTemplate(text, number));
      if (templates.length >= source.most) break;
      line++;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BenchFailure('corpus_unusable', `line ${line} of the corpus: ${why}`);
  }
  if (templates.length === 0) throw new BenchFailure('corpus_unusable', 'the corpus holds no event');
  return {
    events: templates.length,
    sessions: sessions.size,
    seed: source.seed,
    ...packed(templates),
    facts: factsOf(source, templates, sessions.size),
  };
}

const COMMA = Buffer.from(',');

function packed(templates: readonly Template[]): Pick<Pool, 'places' | 'bytes'> {
  const places = new Uint32Array(templates.length * PLACE_WORDS);
  let offset = 0;
  for (const [i, { bytes, idAt, sessionAt, session }] of templates.entries()) {
    places.set([offset, bytes.length, idAt + 1, sessionAt, session], i * PLACE_WORDS);
    offset += bytes.length + COMMA.length;
  }
  const bytes = Buffer.concat(templates.flatMap((template) => [template.bytes, COMMA]));
  return { places, bytes: bytes.subarray(0, -COMMA.length) };
}

function linesOf({ corpus, payload, seed }: PoolSource): Iterable<string> | AsyncIterable<string> {
  if (corpus !== undefined) return readCorpus(corpus);
  return payload === 'small' ? generateSmallLines(seed) : generateLines(seed);
}

function factsOf(source: PoolSource, templates: readonly Template[], sessions: number): PoolFacts {
  const digest = createHash('sha256');
  for (const template of templates) digest.update(template.bytes).update('\n');
  const sizes = templates.map((template) => template.bytes.length).sort((a, b) => a - b);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return {
    source: source.corpus === undefined ? 'generated' : 'corpus',
    seed: source.seed,
    events: templates.length,
    sessions,
    with_event_id: templates.filter((template) => template.idAt >= 0).length,
    bytes,
    sha256: digest.digest('hex'),
    event_bytes: {
      p50: quantile(sizes, 0.5),
      p90: quantile(sizes, 0.9),
      p95: quantile(sizes, 0.95),
      p99: quantile(sizes, 0.99),
      max: sizes.at(-1)!,
      mean: bytes / sizes.length,
    },
  };
}
