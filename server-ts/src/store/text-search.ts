/**
 * Prepares the search for a text (rule GET-13): patterns of LIKE for the values of a row, and the ids of matching names.
 *
 * SQLite compares, so both servers find the same rows. Its LIKE ignores the case of ASCII letters alone.
 */
import { QUERIES } from '../queries.ts';
import type { Queries } from './query.ts';

/** The parameters of a search, by their names. A pattern is one of LIKE with `\` as the escape. */
export interface TextSearch {
  /** Finds the text itself. */
  readonly q: string;
  /** Finds the text as it is written inside a JSON string, where that differs. */
  readonly escaped: string | null;
  /** Finds the text in a UUID, if it can be a part of one. */
  readonly uuid: string | null;
  /** The ids of the names that contain the text, as a JSON array; null without such names. */
  readonly names: string | null;
}

/** Makes the patterns of a text, and looks up the names that contain it. */
export function findText(queries: Queries, text: string): TextSearch {
  const q = patternOf(text);
  const [names] = queries.prepared(QUERIES.selectNamesLike, true).get(q) as readonly [string];
  const inner = JSON.stringify(text).slice(1, -1);
  return {
    q,
    escaped: inner === text ? null : patternOf(inner),
    uuid: /^[0-9A-Fa-f-]{1,36}$/.test(text) ? q : null,
    names: names === '[]' ? null : names,
  };
}

/** Returns the pattern of LIKE that matches every text with this part. */
function patternOf(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`;
}
