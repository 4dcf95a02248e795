/**
 * Reads pages of stored events, and resolves their names (rule GET-02).
 *
 * Belongs to a reader's thread. Names and sessions repeat, so each is looked up once. The view `events_readable`
 * looks each up in every row and formats every time as text. That would be a large part of the cost of a binary
 * format.
 */
import { QUERIES } from '../queries.ts';
import type { TextsById } from '../render/stored.ts';
import type { Queries } from './query.ts';

/** Largest number of cached texts of a kind. */
const CACHE_ENTRIES = 20_000;

/** The texts of name ids and of session keys. */
export class Texts implements TextsById {
  private readonly queries: Queries;
  private readonly names = new Map<number, string>();
  private readonly sessions = new Map<number, string>();

  constructor(queries: Queries) {
    this.queries = queries;
  }

  name(id: number): string {
    return this.names.get(id) ?? this.read(this.names, QUERIES.selectNameText, id);
  }

  session(key: number): string {
    return this.sessions.get(key) ?? this.read(this.sessions, QUERIES.selectSessionId, key);
  }

  /** Call at the beginning of each read: once a name or a session is deleted, a new one may get its id. */
  forget(): void {
    this.names.clear();
    this.sessions.clear();
  }

  private read(known: Map<number, string>, sql: string, id: number): string {
    const [text] = this.queries.prepared(sql, true).get(id) as readonly [string];
    if (known.size >= CACHE_ENTRIES) known.clear();
    known.set(id, text);
    return text;
  }
}
