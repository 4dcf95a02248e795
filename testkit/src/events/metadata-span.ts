/**
 * Extracts the text of `metadata` from JSON text, byte for byte.
 *
 * A JSON parser would lose what rule MET-01 preserves: number spelling, escapes, key order, white space. This code only
 * finds the ends of values and does not validate.
 */

export interface Span {
  readonly key: string;
  /** The key as written, with its quotes. */
  readonly token: string;
  /** Offset of the value. */
  readonly at: number;
  readonly text: string;
}

/** Returns the texts of an object's members, in order, including repeated keys. */
export function memberSpans(text: string, from = 0): Span[] {
  const spans: Span[] = [];
  let at = skipSpace(text, from);
  if (text[at] !== '{') throw new Error(`no object at ${at}`);
  at = skipSpace(text, at + 1);
  while (text[at] !== '}') {
    const keyEnd = skipString(text, at);
    const token = text.slice(at, keyEnd);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = skipValue(text, valueStart);
    const key = JSON.parse(token) as string;
    spans.push({ key, token, at: valueStart, text: text.slice(valueStart, valueEnd) });
    at = skipSpace(text, valueEnd);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return spans;
}

/** Returns the texts of an array's items. */
export function itemSpans(text: string, from = 0): string[] {
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, from) + 1);
  while (text[at] !== ']') {
    const end = skipValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

/** Returns the text of a member, the last one of that name; `undefined` when it is absent. */
export function memberText(text: string, key: string): string | undefined {
  return memberSpans(text).findLast((span) => span.key === key)?.text;
}

/** Returns the text of each row's metadata in the body of `GET /api/events`. */
export function metadataOfRows(body: string): string[] {
  const events = memberText(body, 'events');
  if (events === undefined) throw new Error('the answer has no events');
  return itemSpans(events).map((row) => memberText(row, 'metadata') ?? '(absent)');
}

function skipSpace(text: string, at: number): number {
  let index = at;
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\r' || text[index] === '\t')
    index += 1;
  return index;
}

function skipString(text: string, at: number): number {
  if (text[at] !== '"') throw new Error(`no string at ${at}`);
  let index = at + 1;
  while (text[index] !== '"') {
    if (index >= text.length) throw new Error(`the string at ${at} has no end`);
    index += text[index] === '\\' ? 2 : 1;
  }
  return index + 1;
}

function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return skipString(text, at);
  let index = at;
  if (first !== '{' && first !== '[') {
    while (index < text.length && !/[,\]}\s]/.test(text[index]!)) index += 1;
    return index;
  }
  let depth = 0;
  while (index < text.length) {
    const char = text[index];
    if (char === '"') {
      index = skipString(text, index);
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    index += 1;
    if (depth === 0) return index;
  }
  throw new Error(`the value at ${at} has no end`);
}
