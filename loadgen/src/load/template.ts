/**
 * One event as bytes, with the positions of its two ids.
 *
 * Only the ids change when a pool is sent again; metadata keeps every byte. Invariant: both ids are UUID_BYTES long and
 * are inside the quotes of the value.
 */
import { UUID_BYTES } from './uuid.ts';

export interface Template {
  readonly bytes: Buffer;
  /** Offset of the `event_id`; -1 when the event has none. */
  readonly idAt: number;
  readonly sessionAt: number;
  /** Number of the event's session within the pool, from 0. */
  readonly session: number;
}

/** A line that cannot be an event: the contract requires an object with a `session_id`. */
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
 * Placeholders of a UUID's length replace the text of both ids, which may have any length. Everything else keeps its
 * bytes, in particular `metadata`. `sessionNumber` returns the number of a session within the pool.
 */
export function parseTemplate(line: string, sessionNumber: (id: string) => number): Template {
  const fields = topLevelStrings(line);
  const session = fields.get('session_id');
  if (session === undefined) throw new TemplateError('has no session_id that is a string');
  // An id of white space counts as absent (contract, rule of `event_id`), so it gets no fresh id.
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

/** Returns the value of a JSON string, with escapes resolved. */
function textOf(line: string, span: Span): string {
  return JSON.parse(`"${line.slice(span.from, span.to)}"`) as string;
}

/**
 * Returns the spans of the string values of the object's own keys, without quotes. For a duplicate key, the last value
 * counts.
 */
function topLevelStrings(text: string): Map<string, Span> {
  const parsed: unknown = parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new TemplateError('is not a JSON object');
  }
  const found = new Map<string, Span>();
  let depth = 0;
  let key: string | undefined;
  // From here on the text is valid JSON, so only quotes, brackets and commas must be examined.
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) key = JSON.parse(text.slice(at, end + 1)) as string;
      else if (depth === 1 && key !== undefined) found.set(key, { from: at + 1, to: end });
      at = end;
    } else if (char === '{' || char === '[') {
      // A duplicate key has no span when its later value is not a string.
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
