/**
 * Replays real events as a timeline: in the order of their `client_timestamp`, with their pauses, each limited to a
 * short time. At its end it repeats with other sessions.
 *
 * Invariant: a line that is not an event is an error that names the line, before anything is sent.
 */
import type { OutgoingEvent } from '@twin-ingest/client';
import { readCorpus } from '@twin-ingest/testkit/events/corpus.ts';
import type { Timed, Timeline } from './timeline.ts';

/** Longest pause in milliseconds. */
const MOST_PAUSE_MS = 2_000;

export class CorpusError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorpusError';
  }
}

/** Reads the whole file, since a demo's corpus is small. */
export async function corpusTimeline(file: string): Promise<Timeline<OutgoingEvent>> {
  const events: { readonly time: number; readonly event: OutgoingEvent }[] = [];
  let line = 0;
  let time = 0;
  for await (const text of readCorpus(file)) {
    line++;
    if (text.trim() === '') continue;
    const event = eventOf(text, `${file}, line ${line}`);
    const said = Date.parse(String(event.client_timestamp));
    // An event without a time follows its predecessor immediately.
    if (!Number.isNaN(said)) time = said;
    events.push({ time, event });
  }
  if (events.length === 0) throw new CorpusError(`${file} holds no events`);
  events.sort((a, b) => a.time - b.time);
  return { [Symbol.iterator]: () => again(events) };
}

function* again(
  events: readonly { readonly time: number; readonly event: OutgoingEvent }[],
): Generator<Timed<OutgoingEvent>> {
  let at_ms = 0;
  for (let round = 1; ; round++) {
    let before = events[0]!.time;
    for (const { time, event } of events) {
      at_ms += Math.min(time - before, MOST_PAUSE_MS);
      before = time;
      yield { at_ms, item: round === 1 ? event : { ...event, session_id: `${event.session_id}-${round}` } };
    }
    at_ms += MOST_PAUSE_MS;
  }
}

function eventOf(text: string, where: string): OutgoingEvent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CorpusError(`${where} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CorpusError(`${where} is no JSON object`);
  return value as OutgoingEvent;
}
