/**
 * Reads a file of keys and patterns, or finds all its problems (rule RED-02).
 *
 * Pure. The file is JSON, read with the grammar of bodies.
 */
import { LIMITS, VOCABULARY } from '../contract.ts';
import { visitMembers } from '../json.ts';
import { parseInteger } from '../number.ts';
import {
  CLOSE_ARRAY,
  COMMA,
  INVALID,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  skipValue,
} from '../scanner.ts';
import { byteLength, decodeString } from '../text.ts';

/** The keys and the patterns of a file. */
export interface RedactionRules {
  /** In the order of the file. */
  readonly keys: readonly string[];
  /** In the order of the file. */
  readonly patterns: readonly RedactionPattern[];
}

/** A literal beginning, and at least so many bytes of a class after it (rule RED-04). */
export interface RedactionPattern {
  readonly prefix: string;
  /** Position among the classes of the vocabulary. */
  readonly class: number;
  readonly minimum: number;
}

/** Problems of a file of redactions: the name of the message in `config.json`. */
export type RedactionFault =
  | 'redact_json'
  | 'redact_object'
  | 'redact_array'
  | 'redact_unknown'
  | 'redact_twice'
  | 'redact_text'
  | 'redact_key'
  | 'redact_prefix'
  | 'redact_class'
  | 'redact_minimum'
  | 'redact_short'
  | 'redact_absent'
  | 'redact_nothing';

/** One problem of a file of redactions. */
export interface RedactionProblem {
  readonly fault: RedactionFault;
  /** Its place: a JSON Pointer (RFC 6901). */
  readonly path: string;
}

/** The problems of a file, in its order. */
interface Refused {
  readonly problems: readonly RedactionProblem[];
}

/** Parses the text of a file; returns all its problems otherwise, in the order of the file. */
export function parseRedaction(text: string): RedactionRules | Refused {
  const bytes = Buffer.from(text);
  const start = skipSpace(bytes, 0);
  const end = skipValue(bytes, start, LIMITS.json_depth);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) {
    return { problems: [{ fault: 'redact_json', path: '' }] };
  }
  const file = new File(bytes);
  let keys: string[] = [];
  let patterns: RedactionPattern[] = [];
  file.members(start, '', (member) => {
    if (member.name === 'keys') keys = file.items(member).flatMap((item) => file.key(item) ?? []);
    else if (member.name === 'patterns') {
      patterns = file.items(member).flatMap((item) => file.pattern(item) ?? []);
    } else file.problem('redact_unknown', member.path);
  });
  if (file.problems.length === 0 && keys.length === 0 && patterns.length === 0) {
    file.problem('redact_nothing', '');
  }
  return file.problems.length === 0 ? { keys, patterns } : { problems: file.problems };
}

/** A value of the file: its bytes from `start` up to `end`, and its place. */
interface Item {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

interface Member extends Item {
  readonly name: string;
}

/** The text of a file, and the problems found so far. */
class File {
  readonly problems: RedactionProblem[] = [];
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  problem(fault: RedactionFault, path: string): undefined {
    this.problems.push({ fault, path });
    return undefined;
  }

  /**
   * Visits the members of an object with their names, values and places; returns their names, or `undefined` for any
   * other value.
   */
  members(object: number, path: string, visit: (member: Member) => void): ReadonlySet<string> | undefined {
    const { bytes } = this;
    if (bytes[object] !== OPEN_OBJECT) return this.problem('redact_object', path);
    const names = new Set<string>();
    visitMembers(bytes, object, (keyStart, keyEnd, start, end) => {
      const name = decodeString(bytes, keyStart, keyEnd);
      if (name === undefined) {
        this.problem('redact_text', path);
        return;
      }
      const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (names.has(name)) this.problem('redact_twice', place);
      else visit({ name, start, end, path: place });
      names.add(name);
    });
    return names;
  }

  /** Returns the items of an array with their places. */
  items({ start, path }: Member): readonly Item[] {
    const { bytes } = this;
    const items: Item[] = [];
    if (bytes[start] === OPEN_ARRAY) {
      let at = skipSpace(bytes, start + 1);
      while (bytes[at] !== CLOSE_ARRAY) {
        const end = skipValue(bytes, at, LIMITS.json_depth);
        items.push({ start: at, end, path: `${path}/${items.length}` });
        at = skipSpace(bytes, end);
        if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
      }
    }
    if (bytes[start] === OPEN_ARRAY && items.length <= LIMITS.redaction_entries) return items;
    this.problem('redact_array', path);
    return [];
  }

  key(item: Item): string | undefined {
    const key = this.string(item);
    const isKey = key !== undefined && key !== '' && byteLength(key) <= LIMITS.redaction_key_bytes;
    if (!isKey || hasControl(key)) return this.problem('redact_key', item.path);
    return key;
  }

  pattern(item: Item): RedactionPattern | undefined {
    const known = this.problems.length;
    const found: { prefix?: string | undefined; class?: number | undefined; minimum?: number | undefined } =
      {};
    const names = this.members(item.start, item.path, (member) => {
      if (member.name === 'prefix') found.prefix = this.prefix(member);
      else if (member.name === 'class') found.class = this.class(member);
      else if (member.name === 'minimum') found.minimum = this.minimum(member);
      else this.problem('redact_unknown', member.path);
    });
    for (const wanted of ['prefix', 'class', 'minimum']) {
      if (names?.has(wanted) === false) this.problem('redact_absent', `${item.path}/${wanted}`);
    }
    const { prefix, class: index, minimum } = found;
    if (prefix === undefined || index === undefined || minimum === undefined) return undefined;
    const isShort = prefix.length + minimum < LIMITS.redaction_least_bytes;
    if (isShort && known === this.problems.length) this.problem('redact_short', item.path);
    return { prefix, class: index, minimum };
  }

  /** Returns the text of a string; `undefined` for any other value, and for text that is not well-formed. */
  private string({ start, end }: Item): string | undefined {
    return this.bytes[start] === QUOTE ? decodeString(this.bytes, start + 1, end - 1) : undefined;
  }

  private prefix(member: Member): string | undefined {
    const prefix = this.string(member);
    const isPrefix = prefix !== undefined && /^[ -~]+$/.test(prefix);
    if (isPrefix && prefix.length <= LIMITS.redaction_prefix_bytes) return prefix;
    return this.problem('redact_prefix', member.path);
  }

  private class(member: Member): number | undefined {
    const index = CLASS_NAMES.indexOf(this.string(member) ?? '');
    return index < 0 ? this.problem('redact_class', member.path) : index;
  }

  private minimum({ start, end, path }: Member): number | undefined {
    const isNumber = /[-0-9]/.test(String.fromCharCode(this.bytes[start]!));
    const number = isNumber ? parseInteger(this.bytes, start, end) : Number.NaN;
    return number >= 1 && number <= LIMITS.redaction_minimum ? number : this.problem('redact_minimum', path);
  }
}

/** The names of the classes, in the order of their positions. */
export const CLASS_NAMES: readonly string[] = Object.keys(VOCABULARY.redaction.classes);

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
