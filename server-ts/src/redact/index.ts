/**
 * Replaces secrets of events and attachments before they are stored, as `--redact` names them (rules RED-01 to
 * RED-07).
 *
 * Pure. An event is redacted after its validation, and before its metadata is truncated.
 */
import { createHash } from 'node:crypto';
import { VOCABULARY } from '../contract.ts';
import type { EventTable } from '../event.ts';
import { FIELD, FIELD_SPECS, type FieldSpec } from '../field.ts';
import { Automaton } from './automaton.ts';
import { redactJson } from './json-text.ts';
import { Patterns } from './patterns.ts';
import type { RedactionRules } from './rules.ts';

const MARK = VOCABULARY.redaction.text;
const IDENTITIES: readonly string[] = VOCABULARY.redaction.identities;
/** Hexadecimal digits of the digest that replaces an identity. */
const IDENTITY_DIGITS = 32;

const TEXT_FIELDS = FIELD_SPECS.filter(({ kind }) => kind === 'text');

/** How many keys and patterns a file has. */
export interface RedactionCounts {
  readonly keys: number;
  readonly patterns: number;
}

/** The keys, in ASCII lower case. */
class Keys {
  /** Length of the longest key in bytes. */
  readonly longest: number;
  private readonly names: ReadonlySet<string>;

  constructor(keys: readonly string[]) {
    this.names = new Set(keys.map(asciiLowerCase));
    this.longest = Math.max(0, ...keys.map((key) => Buffer.byteLength(key)));
  }

  has(name: string): boolean {
    return this.names.has(asciiLowerCase(name));
  }
}

/** The keys and patterns of a file, ready for use. */
export class Redaction {
  /** How many keys and patterns the file has. */
  readonly counts: RedactionCounts;
  readonly keys: Keys;
  readonly patterns: Patterns;
  /** Finds the texts that any redaction needs. */
  private readonly signs: Automaton;

  /** Prepares the rules of a file. */
  constructor(rules: RedactionRules) {
    this.counts = { keys: rules.keys.length, patterns: rules.patterns.length };
    this.keys = new Keys(rules.keys);
    this.patterns = new Patterns(rules.patterns);
    this.signs = new Automaton(
      signsOf(rules).map((sign) => Buffer.from(sign)),
      true,
    );
  }

  /** Returns whether a redaction may change a JSON text. It is fast, and false for most texts. */
  mayChange(bytes: Buffer, start: number, end: number): boolean {
    return this.signs.isMatch(bytes, start, end);
  }

  /**
   * Redacts the texts and the metadata of the row whose columns begin at `row` in `ints`; returns whether something
   * changed. Metadata must not be truncated yet. `hasOwnId` is false when the server made the event's id.
   */
  redactEvent(table: EventTable, row: number, hasOwnId: boolean): boolean {
    let isChanged = false;
    for (const field of TEXT_FIELDS) {
      const { bytes, start, end } = table.rangeAt(row + field.column);
      if (!this.patterns.mayMatch(bytes, start, end) || (field === FIELD.event_id && !hasOwnId)) continue;
      const redacted = isIdentity(field)
        ? this.redactIdentity(bytes, start, end)
        : this.redactText(bytes, start, end);
      if (redacted === undefined) continue;
      table.putText(row + field.column, redacted);
      isChanged = true;
    }
    const column = row + FIELD.metadata.column;
    const { bytes, start, end } = table.rangeAt(column);
    const metadata = start === end ? undefined : this.redactMetadata(bytes, start, end);
    if (metadata === undefined) return isChanged;
    table.putText(column, metadata.toString());
    return true;
  }

  /** Returns a JSON text with replacements; `undefined` when nothing changes. */
  redactMetadata(bytes: Buffer, start: number, end: number): Buffer | undefined {
    return this.mayChange(bytes, start, end) ? redactJson(this, bytes, start, end) : undefined;
  }

  /** Returns a text with replacements; `undefined` when nothing changes. */
  redactText(bytes: Buffer, start: number, end: number): string | undefined {
    const spans = this.patterns.spans(bytes, start, end);
    if (spans.length === 0) return undefined;
    let redacted = '';
    let at = start;
    for (const [from, to] of spans) {
      redacted += bytes.toString('utf8', at, from) + MARK;
      at = to;
    }
    return redacted + bytes.toString('utf8', at, end);
  }

  /**
   * Returns the replacement of a text that identifies; equal texts have equal replacements (rule RED-05). `undefined`
   * when nothing matches.
   */
  redactIdentity(bytes: Buffer, start: number, end: number): string | undefined {
    if (this.patterns.spans(bytes, start, end).length === 0) return undefined;
    const digest = createHash('sha256').update(bytes.subarray(start, end)).digest('hex');
    return `${MARK} ${digest.slice(0, IDENTITY_DIGITS)}`;
  }
}

/** Returns a text with its ASCII letters in lower case; other letters stay. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns whether a field identifies an event, a session, a call or an agent. */
function isIdentity(field: FieldSpec): boolean {
  return IDENTITIES.includes(field.name);
}

/**
 * Returns the keys in quotes, the prefixes, and the escapes that may spell either. A JSON text that a redaction changes
 * contains one of them, in any case of ASCII letters.
 */
function signsOf({ keys, patterns }: RedactionRules): string[] {
  const prefixes = patterns.map(({ prefix }) => prefix);
  // Any other character may be escaped in other ways than by its code.
  const isPlain = (text: string): boolean => /^[ -~]+$/.test(text) && !/["/\\]/.test(text);
  const escapes = [...keys, ...prefixes].every(isPlain)
    ? Array.from({ length: 6 }, (_, digit) => `\\u00${digit + 2}`)
    : ['\\'];
  return [...keys.map((key) => `"${key}"`), ...prefixes, ...escapes];
}
