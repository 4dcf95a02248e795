/**
 * Handles JSON as text: finds a member, and changes the layout of the text.
 *
 * It does not use `JSON.parse`, which alters digits above 2^53, `1.0`, escapes and repeated keys. Invariant: the text
 * of every string and number stays unchanged. The input is valid JSON, since a server wrote it; for other input it
 * only guarantees to end.
 */
const SPACE = /\s/;

/** Returns the text of a member's value, or `undefined`. Of equal keys the last counts, as in rule EVT-10. */
export function memberText(json: string, key: string): string | undefined {
  let found: string | undefined;
  let at = skipSpace(json, skipSpace(json, 0) + 1);
  while (json[at] === '"') {
    const keyEnd = valueEnd(json, at);
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    if (nameOf(json.slice(at, keyEnd)) === key) found = json.slice(start, end);
    at = skipSpace(json, skipSpace(json, end) + 1);
  }
  return found;
}

/** Formats over several lines, with two spaces per level. */
export function indented(json: string): string {
  let text = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (let at = skipSpace(json, 0); at < json.length; at = skipSpace(json, at)) {
    const character = json[at]!;
    if (character === '{' || character === '[') {
      const inside = skipSpace(json, at + 1);
      if (json[inside] === '}' || json[inside] === ']') {
        text += character + json[inside];
        at = inside + 1;
        continue;
      }
      depth++;
      text += character + line();
    } else if (character === '}' || character === ']') {
      depth--;
      text += line() + character;
    } else if (character === ',') text += character + line();
    else if (character === ':') text += ': ';
    else {
      const end = valueEnd(json, at);
      text += json.slice(at, end);
      at = end;
      continue;
    }
    at++;
  }
  return text;
}

/** Returns the index after the value that starts at `at`. */
function valueEnd(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return stringEnd(json, at);
  if (first !== '{' && first !== '[') {
    let end = at + 1;
    while (end < json.length && !',:]}'.includes(json[end]!) && !SPACE.test(json[end]!)) end++;
    return end;
  }
  let depth = 0;
  let end = at;
  while (end < json.length) {
    const character = json[end]!;
    if (character === '"') {
      end = stringEnd(json, end);
      continue;
    }
    end++;
    if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) break;
  }
  return end;
}

function stringEnd(json: string, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return end + 1;
}

function skipSpace(json: string, at: number): number {
  let end = at;
  while (end < json.length && SPACE.test(json[end]!)) end++;
  return end;
}

/** Returns the name of a key, which may contain escapes. */
function nameOf(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}
