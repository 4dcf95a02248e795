/**
 * Computes the metadata that rule HOK-03 requires for a payload: a third implementation of the rule, in addition to
 * the servers'.
 *
 * It is simple and slow, so that it is evidently correct. Invariant: it shares no code with a server. Its input is
 * JSON.
 */
import { memberSpans } from '@twin-ingest/testkit/events/metadata-span.ts';

/** Returns as much of the payload as fits into `limit` bytes. */
export function hookMetadata(payload: string, limit: number, keys: readonly string[]): string {
  const text = payload.trim();
  if (size(text) <= limit) return text;
  const all = memberSpans(text);
  const first = keys.flatMap((key) => {
    const last = all.findLast((span) => span.key === key);
    return last === undefined ? [] : [{ token: `"${key}"`, text: last.text }];
  });
  const others = all.filter((span) => !keys.includes(span.key));
  const markers = `{"_truncated":true,"_original_bytes":${size(text)}`;
  return `${fill(markers, [...first, ...others], limit, cutValue)}}`;
}

type Cut = (value: string, room: number) => string | undefined;

/** Returns an object without its closing brace, with as many of the members as fit into `limit`. */
function fill(
  object: string,
  members: readonly { readonly token: string; readonly text: string }[],
  limit: number,
  cut: Cut,
): string {
  let whole = object;
  for (const { token, text } of members) {
    const name = `${whole === '{' ? '' : ','}${token}:`;
    const room = limit - size(whole) - size(name) - 1;
    const value = size(text) <= room ? text : cut(text, room);
    if (value !== undefined) whole += name + value;
  }
  return whole;
}

const cutValue: Cut = (value, room) => {
  if (!value.startsWith('{')) return cutString(value, room);
  const object = fill('{', memberSpans(value), room, cutString);
  return object === '{' ? undefined : `${object}}`;
};

/** Matches a character, an escape, or a pair of escaped surrogates of a string. */
const UNITS = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\.|[^\\]/gu;

const cutString: Cut = (value, room) => {
  if (!value.startsWith('"')) return undefined;
  let text = '';
  for (const [unit] of value.slice(1, -1).matchAll(UNITS)) {
    if (size(`"${text}${unit}…"`) > room) break;
    text += unit;
  }
  return text === '' ? undefined : `"${text}…"`;
};

function size(text: string): number {
  return Buffer.byteLength(text);
}
