/**
 * Replaces metadata above its limit by a summary that is still valid JSON (rule MET-02).
 *
 * The summaries of hooks and of telemetry have rules of their own (HOK-03, OTL-08).
 *
 * Pure. The bytes were scanned before, so they are valid JSON.
 */
import { VOCABULARY } from './contract.ts';
import { Keys, visitMembers } from './json.ts';
import { BACKSLASH, OPEN_OBJECT, QUOTE } from './scanner.ts';
import { byteLength } from './text.ts';

/** Cuts the value at `start` to at most `room` bytes; `undefined` when no part fits. */
type Cut = (bytes: Buffer, start: number, room: number) => string | undefined;

/** An object without its closing brace, its length, and its largest size with the brace, in bytes. */
interface OpenObject {
  text: string;
  length: number;
  readonly limit: number;
  cut: Cut;
}

/** The places of a member's name and value. */
type Member = readonly [keyStart: number, keyEnd: number, valueStart: number, valueEnd: number];

/** Marks the end of a cut string. */
const MARK = '…';
const MARK_BYTES = byteLength(MARK);

const KEYS = new Keys(VOCABULARY.summary_keys);

/** The beginning of every summary. */
const SUMMARY_START = '{"_truncated":true,"_original_bytes":';
const SUMMARY_BYTES = Buffer.from(SUMMARY_START);

/** Returns whether the metadata from `start` up to `end` is a summary that another server has made. */
export function isSummary(bytes: Buffer, start: number, end: number): boolean {
  const length = SUMMARY_BYTES.length;
  // Most metadata differs in its third byte.
  if (end - start < length || bytes[start + 2] !== SUMMARY_BYTES[2]) return false;
  return bytes.compare(SUMMARY_BYTES, 0, length, start, start + length) === 0;
}

/**
 * Returns the size of the whole text that a summary names (rule MET-04); null where that is no plain integer.
 */
export function originalBytes(summary: string): number | null {
  if (!summary.startsWith(SUMMARY_START)) return null;
  const digits = /^(?:0|[1-9]\d{0,15})(?=[,}])/.exec(
    summary.slice(SUMMARY_START.length, SUMMARY_START.length + 17),
  );
  const bytes = digits === null ? Number.NaN : Number(digits[0]);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** Returns the summary of the metadata from `start` up to `end`; `undefined` when it fits into `limit` bytes. */
export function truncateMetadata(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
): string | undefined {
  if (end - start <= limit) return undefined;
  return `${summaryOf(bytes, start, end, limit, KEYS, () => undefined).text}}`;
}

/** Does the same for a hook's payload: `keys` come first, then all others; values that do not fit are cut. */
export function truncatePayload(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  keys: Keys,
): string | undefined {
  if (end - start <= limit) return undefined;
  const summary = summaryOf(bytes, start, end, limit, keys, cutValue);
  visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
    // Most members of a long payload do not fit, so this comes before the search for the name.
    if (!hasRoom(summary, keyEnd - keyStart) || keys.find(bytes, keyStart, keyEnd) >= 0) return;
    pushMember(summary, bytes, keyStart, keyEnd, bytes, valueStart, valueEnd);
  });
  return `${summary.text}}`;
}

/**
 * Does the same for the metadata of a telemetry record. All members that fit come first, those of the vocabulary's keys
 * before the others, so that a long one costs no other. Then come the starts of those that do not fit.
 */
export function truncateRecord(bytes: Buffer, start: number, end: number, limit: number): string | undefined {
  if (end - start <= limit) return undefined;
  const known: (Member | undefined)[] = KEYS.names.map(() => undefined);
  const others: Member[] = [];
  visitMembers(bytes, start, (...member) => {
    const at = KEYS.find(bytes, member[0], member[1]);
    if (at >= 0) known[at] = member;
    else others.push(member);
  });
  const summary = openSummary(end - start, limit, () => undefined);
  const left: Member[] = [];
  for (const member of [...known, ...others]) {
    if (member === undefined) continue;
    const { length } = summary;
    pushMember(summary, bytes, member[0], member[1], bytes, member[2], member[3]);
    if (summary.length === length) left.push(member);
  }
  summary.cut = cutValue;
  for (const [keyStart, keyEnd, valueStart, valueEnd] of left)
    pushMember(summary, bytes, keyStart, keyEnd, bytes, valueStart, valueEnd);
  return `${summary.text}}`;
}

/** Returns the markers of a summary. */
function openSummary(originalBytes: number, limit: number, cut: Cut): OpenObject {
  const markers = `${SUMMARY_START}${originalBytes}`;
  return { text: markers, length: markers.length, limit, cut };
}

/** Returns the markers and the present members of the keys. */
function summaryOf(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  keys: Keys,
  cut: Cut,
): OpenObject {
  // The place of each value.
  const values: (readonly [start: number, end: number] | undefined)[] = keys.names.map(() => undefined);
  if (bytes[start] === OPEN_OBJECT) {
    visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
      const at = keys.find(bytes, keyStart, keyEnd);
      // Of equal keys the last counts, so a later one replaces an earlier one.
      if (at >= 0) values[at] = [valueStart, valueEnd];
    });
  }
  const summary = openSummary(end - start, limit, cut);
  keys.names.forEach((key, at) => {
    const value = values[at];
    if (value !== undefined) pushMember(summary, key, 0, key.length, bytes, ...value);
  });
  return summary;
}

/** Returns whether a member with a name of this length may fit, with the closing brace. */
function hasRoom(object: OpenObject, nameLength: number): boolean {
  return roomOf(object, nameLength) >= 0;
}

/** Returns the room for the value of a member with a name of this length. */
function roomOf({ length, limit }: OpenObject, nameLength: number): number {
  const comma = length === 1 ? 0 : 1;
  // Room for the quotes of the name, the colon, and the closing brace.
  return limit - (length + comma + nameLength + 4);
}

/** Adds a member to an object, if it and the closing brace fit. */
function pushMember(
  object: OpenObject,
  name: Buffer,
  nameStart: number,
  nameEnd: number,
  bytes: Buffer,
  start: number,
  end: number,
): void {
  const room = roomOf(object, nameEnd - nameStart);
  if (room < 0) return;
  const fitting = end - start <= room ? bytes.toString('utf8', start, end) : object.cut(bytes, start, room);
  if (fitting === undefined) return;
  const comma = object.length === 1 ? '' : ',';
  const member = `${comma}"${name.toString('utf8', nameStart, nameEnd)}":${fitting}`;
  object.text += member;
  object.length += byteLength(member);
}

/**
 * Returns the start of a string, or the members of an object that fit, with their strings cut; `undefined` for any
 * other value.
 */
function cutValue(bytes: Buffer, start: number, room: number): string | undefined {
  if (bytes[start] !== OPEN_OBJECT) return cutString(bytes, start, room);
  const object = { text: '{', length: 1, limit: room, cut: cutString };
  visitMembers(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
    pushMember(object, bytes, keyStart, keyEnd, bytes, valueStart, valueEnd);
  });
  return object.length === 1 ? undefined : `${object.text}}`;
}

/** Returns the start of a string token that is longer than `room`, and the mark. */
function cutString(bytes: Buffer, start: number, room: number): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  // Room for the closing quote.
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

/**
 * Returns the length of the next unit that must not be split: a character, an escape, or two escapes that are one
 * character.
 */
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
