/**
 * Replaces metadata above its limit with a summary that is still valid JSON (rule MET-02; of a hook's payload:
 * HOK-03).
 *
 * Pure. The bytes have been scanned before, so they are valid JSON.
 */
import { VOCABULARY } from './contract.ts';
import { keyIs, visitMembers } from './json.ts';
import { BACKSLASH, OPEN_OBJECT, QUOTE } from './scanner.ts';
import { byteLength } from './text.ts';

/** As much of the value at `start` as `room` bytes hold; nothing where that is nothing. */
type Cut = (bytes: Buffer, start: number, room: number) => string | undefined;

/** An object that lacks its closing brace, its length, and how long it may become with it, in bytes. */
interface OpenObject {
  text: string;
  length: number;
  readonly limit: number;
  readonly cut: Cut;
}

/** Ends a string of which only the beginning is left. */
const MARK = '…';
const MARK_BYTES = byteLength(MARK);

const KEYS = VOCABULARY.summary_keys.map((name) => Buffer.from(name));

/** The summary of the metadata from `start` up to `end`; nothing when it fits into `limit` bytes as it is. */
export function truncateMetadata(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
): string | undefined {
  if (end - start <= limit) return undefined;
  return `${summaryOf(bytes, start, end, limit, KEYS, () => undefined).text}}`;
}

/** The same of a hook's payload: `keys` come first, then all others, and what does not fit is cut. */
export function truncatePayload(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  keys: readonly Buffer[],
): string | undefined {
  if (end - start <= limit) return undefined;
  const summary = summaryOf(bytes, start, end, limit, keys, cutValue);
  visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
    // Asked last, since it may have to decode the name.
    const isOther = () => !keys.some((key) => keyIs(bytes, keyStart, keyEnd, key));
    pushMember(summary, bytes.subarray(keyStart, keyEnd), bytes, valueStart, valueEnd, isOther);
  });
  return `${summary.text}}`;
}

/** The markers and those of the keys that there are. */
function summaryOf(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  keys: readonly Buffer[],
  cut: Cut,
): OpenObject {
  // Where each value lies.
  const values: (readonly [start: number, end: number] | undefined)[] = keys.map(() => undefined);
  if (bytes[start] === OPEN_OBJECT) {
    visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
      const at = keys.findIndex((key) => keyIs(bytes, keyStart, keyEnd, key));
      // Of equal keys the last counts, so a later one replaces an earlier one.
      if (at >= 0) values[at] = [valueStart, valueEnd];
    });
  }
  const markers = `{"_truncated":true,"_original_bytes":${end - start}`;
  const summary = { text: markers, length: markers.length, limit, cut };
  keys.forEach((key, at) => {
    const value = values[at];
    if (value !== undefined) pushMember(summary, key, bytes, ...value, () => true);
  });
  return summary;
}

/** Adds a member to an object, where it and the closing brace fit and it `isWanted`. */
function pushMember(
  object: OpenObject,
  name: Buffer,
  bytes: Buffer,
  start: number,
  end: number,
  isWanted: () => boolean,
): void {
  const comma = object.length === 1 ? '' : ',';
  // The quotes of the name, the colon, and the brace that closes the object.
  const room = object.limit - (object.length + comma.length + name.length + 4);
  if (room < 0) return;
  const fitting = end - start <= room ? bytes.toString('utf8', start, end) : object.cut(bytes, start, room);
  if (fitting === undefined || !isWanted()) return;
  const member = `${comma}"${name.toString('utf8')}":${fitting}`;
  object.text += member;
  object.length += byteLength(member);
}

/** Of a string its beginning, of an object the members that fit, strings among them cut; nothing of anything else. */
function cutValue(bytes: Buffer, start: number, room: number): string | undefined {
  if (bytes[start] !== OPEN_OBJECT) return cutString(bytes, start, room);
  const object = { text: '{', length: 1, limit: room, cut: cutString };
  visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
    pushMember(object, bytes.subarray(keyStart, keyEnd), bytes, valueStart, valueEnd, () => true);
  });
  return object.length === 1 ? undefined : `${object.text}}`;
}

/** The beginning of a string token that is longer than `room`, and the mark. */
function cutString(bytes: Buffer, start: number, room: number): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  // The quote that ends it.
  const most = start + room - MARK_BYTES - 1;
  let end = start + 1;
  for (;;) {
    const next = end + unitBytes(bytes, end);
    if (next > most) break;
    end = next;
  }
  return end > start + 1 ? `${bytes.toString('utf8', start, end)}${MARK}"` : undefined;
}

const HIGH_SURROGATE = /^\\ud[89ab]/i;
const LOW_SURROGATE = /^\\ud[c-f]/i;

/** The length of what must not be parted: a character, an escape, two escapes that are one character. */
function unitBytes(bytes: Buffer, at: number): number {
  const lead = bytes[at]!;
  if (lead === BACKSLASH) {
    if (bytes[at + 1] !== 0x75) return 2;
    const isPair =
      HIGH_SURROGATE.test(bytes.toString('latin1', at, at + 6)) &&
      LOW_SURROGATE.test(bytes.toString('latin1', at + 6, at + 12));
    return isPair ? 12 : 6;
  }
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
