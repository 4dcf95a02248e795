/**
 * The events of every format: generated ones, recorded ones, small ones, and procwire's payload as metadata.
 *
 * Invariant: the same PRNG seed and file give the same events. Every `event_id` is as wide as a UUID, so that a body
 * can be sent again with new ids.
 */
import { jsonEvent, type TextEvent } from '@twin-ingest/testkit/codecs/json.ts';
import { readCorpus } from '@twin-ingest/testkit/events/corpus.ts';
import { memberSpans } from '@twin-ingest/testkit/events/metadata-span.ts';
import { seededRandom, shuffle } from '@twin-ingest/testkit/random.ts';
import { BenchFailure } from '../failure.ts';
import { generateLines, generateSmallLines } from '../load/payload.ts';
import { uuidText } from '../load/uuid.ts';

/**
 * `real` events have the metadata, sizes and kinds of real agents. `small` events have 426 bytes and most fields. The
 * two bare kinds are the same without metadata.
 */
export type Payload = 'real' | 'bare' | 'small' | 'small bare';

export interface EventSource {
  readonly seed: number;
  /** File of recorded events, which replace the generated ones. */
  readonly corpus: string | undefined;
}

/** Bytes that procwire subtracts from the size of its payload for everything except the text. */
const REST_BYTES = 424;

/** PRNG seed of the ids in bodies before they are sent. It differs from that of the ids that overwrite them. */
const ID_SEED = 0xc0dec5;

/** Largest number of lines to read from a file. */
const MOST_LINES = 50_000;

export async function sourceEvents(
  payload: Payload,
  count: number,
  { seed, corpus }: EventSource,
): Promise<TextEvent[]> {
  const isSmall = payload.startsWith('small');
  const lines: string[] = [];
  for await (const line of isSmall ? generateSmallLines(seed) : linesOf(seed, corpus)) {
    if (line.trim() !== '') lines.push(line);
    if (lines.length === (isSmall ? count : MOST_LINES)) break;
  }
  if (lines.length === 0) throw new BenchFailure('corpus_unusable', 'the corpus holds no event');
  // A file holds one session after the other. Without a shuffle, the first events would all be of one agent.
  if (!isSmall) shuffle(seededRandom(seed), lines);
  return Array.from({ length: count }, (_, i) => {
    const { metadata, ...fields } = parseEvent(lines[i % lines.length]!, i);
    return payload.endsWith('bare') || metadata === undefined ? fields : { ...fields, metadata };
  });
}

function linesOf(seed: number, corpus: string | undefined): Iterable<string> | AsyncIterable<string> {
  return corpus === undefined ? generateLines(seed) : readCorpus(corpus);
}

/** Returns the event of a line. Metadata keeps its exact text. */
function parseEvent(line: string, number: number): TextEvent {
  const { metadata: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const metadata = memberSpans(line).findLast(({ key }) => key === 'metadata')?.text;
  const event = { ...fields, event_id: idOf(number) };
  return metadata === undefined ? event : { ...event, metadata };
}

function idOf(number: number): string {
  return uuidText(ID_SEED, number);
}

/** Returns `{id, name, data, items}`, as procwire's benchmark makes it. */
export function procwirePayload(size: number) {
  const items = Array.from({ length: 100 }, (_, i) => i);
  return { id: 1, name: 'test', data: 'x'.repeat(Math.max(0, size - REST_BYTES)), items };
}

/** Returns events whose metadata is that payload. */
export function procwireEvents(size: number, count: number): TextEvent[] {
  const metadata = JSON.stringify(procwirePayload(size));
  const fields = { session_id: 'procwire', agent_type: 'bench', event_type: 'tool_use' };
  return Array.from({ length: count }, (_, i) => ({ ...fields, event_id: idOf(i), metadata }));
}

/** Returns the first events whose JSON has about `bytes` bytes in total; at least one. */
export function upTo(events: readonly TextEvent[], bytes: number): readonly TextEvent[] {
  let sum = 0;
  const end = events.findIndex((event) => {
    sum += Buffer.byteLength(jsonEvent(event)) + 1;
    return sum > bytes;
  });
  return end < 0 ? events : events.slice(0, Math.max(1, end));
}
