/**
 * One event as bytes, with the positions of its two ids.
 *
 * Only the ids change when a pool is sent again; metadata keeps every byte. Invariant: both ids are UUID_BYTES long and
 * are inside the quotes of the value.
 */
import { memberSpans, type Span } from '@twin-ingest/testkit/events/metadata-span.ts';
import { UUID_BYTES } from './uuid.ts';

export interface Template {
  readonly bytes: Buffer;
  /** Offset of the `event_id`; -1 when the event has none. */
  readonly idAt: number;
  readonly sessionAt: number;
  /** Number of the event's session within the pool, from 0. */
  readonly session: number;
}

const PLACEHOLDER = '0'.repeat(UUID_BYTES);

/**
 * Makes a template of one event's JSON text.
 *
 * Placeholders of a UUID's length replace the text of both ids, which may have any length. Everything else keeps its
 * bytes, in particular `metadata`. `sessionNumber` returns the number of a session within the pool. Throws when the line
 * cannot be an event: the contract requires an object with a `session_id`.
 */
export function parseTemplate(line: string, sessionNumber: (id: string) => number): Template {
  const members = membersOf(line);
  const session = stringOf(members, 'session_id');
  if (session === undefined) throw new TypeError('no session_id that is a string');
  // An id of white space counts as absent (contract, rule of `event_id`), so it gets no fresh id.
  const given = stringOf(members, 'event_id');
  const id = given !== undefined && stringIn(given).trim() !== '' ? given : undefined;
  const cuts = id === undefined ? [session] : [session, id];
  cuts.sort((a, b) => a.at - b.at);
  const places = new Map<Span, number>();
  let text = '';
  let end = 0;
  for (const cut of cuts) {
    text += line.slice(end, cut.at + 1);
    places.set(cut, Buffer.byteLength(text));
    text += PLACEHOLDER;
    end = cut.at + cut.text.length - 1;
  }
  return {
    bytes: Buffer.from(text + line.slice(end)),
    idAt: id === undefined ? -1 : places.get(id)!,
    sessionAt: places.get(session)!,
    session: sessionNumber(stringIn(session)),
  };
}

function membersOf(line: string): Span[] {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new TypeError('not a JSON object');
  return memberSpans(line);
}

/** Returns a member whose value is a string. For a duplicate key, the last value counts. */
function stringOf(members: readonly Span[], key: string): Span | undefined {
  const found = members.findLast((member) => member.key === key);
  return found?.text.startsWith('"') ? found : undefined;
}

function stringIn({ text }: Span): string {
  return JSON.parse(text) as string;
}
