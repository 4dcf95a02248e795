/** One connection, one statement for each event, one transaction for each request. */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Event } from './event.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const PRAGMAS = read('../../../contract/pragmas.sql');
const SESSION_TIMEOUT_MS = 300_000;
const LISTS = [
  ['tools', 'tool_name', "event_type <> 'plan_step'"],
  ['agents', 'agent_type', 'true'],
  ['models', 'model', 'true'],
  ['event_types', 'event_type', 'true'],
  ['branches', 'branch', 'true'],
];

export type Store = ReturnType<typeof openStore>;

export function openStore(path: string, synchronous: string) {
  const db = new Database(path);
  db.exec(PRAGMAS);
  // SQLite checkpoints automatically, since this server has no checkpoints of its own.
  db.pragma('wal_autocheckpoint = 1000');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(read('../sql/schema.sql'));

  const insertOne = db.prepare(read('../sql/insert.sql'));
  const lastId = db.prepare<[], number>('SELECT ifnull(max(id), 0) FROM events').pluck();
  const totals = db.prepare<[object], object>(read('../sql/totals.sql'));
  const lists = LISTS.map(([list, column, which]) => {
    const sql = `SELECT ${column} AS name, count(*) AS count FROM events WHERE ${column} IS NOT NULL AND ${which}
      GROUP BY ${column} ORDER BY count DESC, name`;
    return [list, db.prepare(sql)] as const;
  });

  const insert = db.transaction((events: readonly Event[]) => {
    const created_at = new Date().toISOString();
    const ids: number[] = [];
    for (const event of events) {
      const { changes, lastInsertRowid } = insertOne.run({ ...event, created_at });
      if (changes === 1) ids.push(Number(lastInsertRowid));
    }
    const revision = String(lastId.get());
    return { received: ids.length, ids, duplicates: events.length - ids.length, revision };
  });

  return {
    insert,

    stats() {
      const active_since = new Date(Date.now() - SESSION_TIMEOUT_MS).toISOString();
      const counts = lists.map(([list, statement]) => [list, statement.all()]);
      return { ...totals.get({ active_since }), ...Object.fromEntries(counts) };
    },

    /** Returns the effective settings, which the comparison checks before it measures. */
    health() {
      const contract = [...PRAGMAS.matchAll(/^PRAGMA (\w+)/gm)].map(([, name]) => name!);
      const names = [...contract, 'synchronous', 'page_size'];
      const values = names.map((name) => [name, db.pragma(name, { simple: true })]);
      const pragmas = Object.fromEntries(values) as Record<string, unknown>;
      const options = db.pragma('compile_options') as { compile_options: string }[];
      return {
        sqlite_version: db.prepare('SELECT sqlite_version()').pluck().get(),
        journal_mode: pragmas.journal_mode,
        synchronous: pragmas.synchronous === 2 ? 'full' : 'normal',
        compile_options: options.map((row) => row.compile_options),
        pragmas,
      };
    },

    close: () => db.close(),
  };
}
