/**
 * One event as bytes, with the places of its two ids.
 *
 * Only the ids change when a pool is sent again; metadata keeps every byte. Invariant: both places are UUID_BYTES wide
 * and lie inside the quotes of the value.
 */
import { UUID_BYTES } from './uuid.ts';

export interface Template {
  readonly bytes: Buffer;
  /** Where the `event_id` begins; -1 when the event has none. */
  readonly idAt: number;
  readonly sessionAt: number;
  /** Number of the event's session within the pool, from 0. */
  readonly session: number;
}

/** A line that cannot be an event: the contract asks for an object with a `session_id`. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TemplateError';
  }
}

const PLACEHOLDER = '0'.repeat(UUID_BYTES);

/**
 * Makes a template of one event's JSON text.
 *
 * Both ids are replaced textually by placeholders of a UUID's width, whatever width they had; everything
 * else, `metadata` above all, keeps its bytes. `sessionNumber` gives each session of the pool its number.
 */
export function parseTemplate(line: string, sessionNumber: (id: string) => number): Template {
  const fields = topLevelStrings(line);
  const session = fields.get('session_id');
  if (session === undefined) throw new TemplateError('has no session_id that is a string');
  // An id of white space counts as absent (contract, rule of `event_id`), so it gets no fresh one either.
  const given = fields.get('event_id');
  const id = given !== undefined && textOf(line, given).trim() !== '' ? given : undefined;
  const cuts = id === undefined ? [session] : [session, id];
  cuts.sort((a, b) => a.from - b.from);
  const parts: Buffer[] = [];
  const places = new Map<Span, number>();
  let at = 0;
  let size = 0;
  for (const cut of cuts) {
    const before = Buffer.from(line.slice(at, cut.from));
    parts.push(before, Buffer.from(PLACEHOLDER));
    places.set(cut, size + before.length);
    size += before.length + UUID_BYTES;
    at = cut.to;
  }
  parts.push(Buffer.from(line.slice(at)));
  return {
    bytes: Buffer.concat(parts),
    idAt: id === undefined ? -1 : places.get(id)!,
    sessionAt: places.get(session)!,
    session: sessionNumber(textOf(line, session)),
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The string's value: escapes are resolved. */
function textOf(line: string, span: Span): string {
  return JSON.parse(`"${line.slice(span.from, span.to)}"`) as string;
}

/** The insides of the string values of the object's own keys; of a key given twice, the last counts. */
function topLevelStrings(text: string): Map<string, Span> {
  const parsed: unknown = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new TemplateError('is not a JSON object');
  }
  const found = new Map<string, Span>();
  let depth = 0;
  let key: string | undefined;
  // The text is valid JSON from here on, so that quotes, brackets and commas are all that need a look.
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) key = JSON.parse(text.slice(at, end + 1)) as string;
      else if (depth === 1 && key !== undefined) found.set(key, { from: at + 1, to: end });
      at = end;
    } else if (char === '{' || char === '[') {
      // A key that was a string before and now is not has no span any more.
      if (depth === 1 && key !== undefined) found.delete(key);
      depth++;
    } else if (char === '}' || char === ']') depth--;
    else if (char === ',' && depth === 1) key = undefined;
    else if (depth === 1 && key !== undefined && char !== ':' && !/\s/.test(char!)) found.delete(key);
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TemplateError('is not JSON');
  }
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
