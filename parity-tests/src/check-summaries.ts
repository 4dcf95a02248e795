/**
 * Checks the summaries in a database file, without a server. Every name and session of a row must be in its block's
 * summary, and every name of a block in its span's (rule GET-03). A missing one would hide rows from a filter.
 *
 * Reads the tables as defined in `contract/migrations/0001_init.sql`, without any server code.
 */

import Database from 'better-sqlite3';
import CONTRACT from '../../contract/fields.json' with { type: 'json' };

export interface SummaryCheck {
  readonly blocks: number;
  readonly spans: number;
  /** Number of spans that match any name. */
  readonly open_spans: number;
  readonly problems: readonly string[];
}

const NAMES = Object.values(CONTRACT.fields).flatMap((field) => ('dictionary' in field ? field.column : []));
const number = (column: string) => `unhex(printf('%08X', ${column}))`;

const HIDDEN_ROWS = `
  SELECT e.id FROM events AS e LEFT JOIN event_blocks AS b ON b.id = e.id >> 8
  WHERE b.id IS NULL OR NOT instr(b.sessions, ${number('e.session')})
  ${NAMES.map((name) => `OR e.${name} IS NOT NULL AND NOT instr(b.names, ${number(`e.${name}`)})`).join('\n  ')}`;

interface Summary {
  readonly id: number;
  readonly names: Buffer | null;
}

/** Reads all rows, blocks and spans. Does not change the file. */
export function checkSummaries(dbFile: string): SummaryCheck {
  const db = new Database(dbFile, { readonly: true, fileMustExist: true });
  try {
    const hidden = db.prepare<[], number>(HIDDEN_ROWS).pluck().all();
    const problems = hidden.map((id) => `event ${id} is not in its block's summary`);
    const all = (table: string) =>
      db.prepare<[], Summary>(`SELECT id, names FROM ${table} ORDER BY id`).all();
    const spans = new Map(all('event_spans').map(({ id, names }) => [id, names && numbersOf(names)]));
    const blocks = all('event_blocks');
    for (const { id, names } of blocks) {
      const span = spans.get(id >> 8);
      if (span === undefined) problems.push(`block ${id} has no span`);
      else if (span !== null)
        for (const name of numbersOf(names!))
          if (!span.has(name)) problems.push(`name ${name} of block ${id} is not in its span`);
    }
    const open_spans = [...spans.values()].filter((names) => names === null).length;
    return { blocks: blocks.length, spans: spans.size, open_spans, problems };
  } finally {
    db.close();
  }
}

/** Returns numbers of 4 bytes, big-endian. Throws if they do not ascend. */
function numbersOf(stored: Buffer): Set<number> {
  const numbers = Array.from({ length: stored.length / 4 }, (_, index) => stored.readUInt32BE(index * 4));
  const at = numbers.findIndex((value, index) => index > 0 && value <= numbers[index - 1]!);
  if (at >= 0) throw new RangeError(`a summary does not ascend at place ${at}`);
  return new Set(numbers);
}
