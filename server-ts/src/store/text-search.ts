/**
 * Searches for a text (rule GET-13): the function `has_text` of the statements, and the ids of matching names.
 *
 * The search takes one step for each byte, whatever the text is: SQLite's LIKE would take up to 128. Only the case of
 * ASCII letters is ignored, as LIKE does.
 */
import Database from 'better-sqlite3';
import { QUERIES } from '../queries.ts';
import { Automaton } from '../redact/automaton.ts';
import type { Queries } from './query.ts';
import { WantedTrigrams } from './text-filter.ts';

const { SqliteError } = Database;

/** The parameters of a search, by their names. */
export interface TextSearch {
  /** The text itself. */
  readonly q: string;
  /** The text as it is written inside a JSON string, where that differs. */
  readonly escaped: string | null;
  /** The text, if it can be a part of a UUID. */
  readonly uuid: string | null;
  /** The ids of the names that contain the text, as a JSON array; null without such names. */
  readonly names: string | null;
  /** 1 to search whole metadata instead of summaries. */
  readonly whole: 1 | null;
  /** The trigrams of the text, and of the other one. */
  readonly trigrams: readonly WantedTrigrams[];
}

/**
 * Prepares the search for a text, and looks up the names that contain it. `isWhole` is whether whole metadata is searched.
 */
export function findText(queries: Queries, text: string, isWhole: boolean): TextSearch {
  const [names] = queries.prepared(QUERIES.selectNamesWithText, true).get(text) as readonly [string];
  const inner = JSON.stringify(text).slice(1, -1);
  const escaped = inner === text ? null : inner;
  return {
    q: text,
    escaped,
    uuid: /^[0-9A-Fa-f-]{1,36}$/.test(text) ? text : null,
    names: names === '[]' ? null : names,
    whole: isWhole ? 1 : null,
    trigrams: [text, escaped].filter((one) => one !== null).map((one) => new WantedTrigrams(one)),
  };
}

/** Returns whether rows with this filter can have the text anywhere but in a UUID. */
export function mayBeIn({ trigrams }: TextSearch, filter: Buffer): boolean {
  return trigrams.some((wanted) => wanted.mayBeIn(filter));
}

/**
 * Adds the function `has_text(bytes, text, other)` to a connection: whether the bytes contain one of two texts, of which
 * the other may be NULL. A search fails as interrupted once `ended` has 1 at its first place.
 */
export function addTextFunction(db: Database.Database, ended?: Int32Array): void {
  let known: Words[] = [];
  const hasText = (bytes: unknown, text: string, other: string | null): number => {
    if (ended !== undefined && Atomics.load(ended, 0) === 1)
      throw new SqliteError('ended', 'SQLITE_INTERRUPT');
    if (!Buffer.isBuffer(bytes)) return 0;
    let words = known.find((one) => one.text === text && one.other === other);
    if (words === undefined) {
      words = { text, other, automaton: automatonOf(text, other) };
      known = [words, ...known.slice(0, KEPT - 1)];
    }
    return words.automaton.isMatch(bytes, 0, bytes.length) ? 1 : 0;
  };
  db.function('has_text', { deterministic: true, directOnly: true }, hasText);
}

/** Number of kept automatons: a statement has up to three, with and without the other text and with a UUID. */
const KEPT = 3;

/** A search for one or two texts. */
interface Words {
  readonly text: string;
  readonly other: string | null;
  readonly automaton: Automaton;
}

function automatonOf(text: string, other: string | null): Automaton {
  return new Automaton(
    [text, ...(other === null ? [] : [other])].map((word) => Buffer.from(word)),
    true,
  );
}
