/**
 * Knows what hooks and telemetry reported about a session, so that no fact is imported a second time.
 *
 * A report stands for one imported event: the nearest in time of those with equal fields. Events with a common id need
 * no such search (rule OTL-09).
 */
import {
  type EventPage,
  type EventRow,
  type EventsQuery,
  type EventType,
  events,
  type ServerOptions,
  type Source,
} from '@twin-ingest/client';
import type { Reported } from '@twin-ingest/mapping/rule.ts';
import type { Found } from './transcript.ts';

interface Report {
  readonly time: number;
  readonly values: readonly unknown[];
  isUsed: boolean;
}

/** Rows of one request. */
const PAGE = 500;

export class KnownSession {
  readonly #server: ServerOptions;
  readonly #session_id: string;
  readonly #newest: EventRow | null;
  readonly #reports = new Map<string, Promise<readonly Report[]>>();
  #ids: Promise<ReadonlySet<string>> | null = null;

  private constructor(server: ServerOptions, session_id: string, newest: EventRow | null) {
    this.#server = server;
    this.#session_id = session_id;
    this.#newest = newest;
  }

  static async of(server: ServerOptions, session_id: string): Promise<KnownSession> {
    const { events: rows } = await events({ ...server, query: { session_id, limit: 1 } });
    return new KnownSession(server, session_id, rows[0] ?? null);
  }

  /** Returns whether a hook or telemetry reported this fact. Each report counts once. */
  async hasReported({ event, reported }: Found): Promise<boolean> {
    if (reported === undefined || this.#newest === null) return false;
    const reports = await this.#of(event.event_type, reported);
    const { fields, within_ms } = reported;
    const values = fields.map((field) => event[field as keyof typeof event] ?? 0);
    const time = Date.parse(event.client_timestamp ?? '') || 0;
    let nearest: Report | null = null;
    let distance = within_ms;
    for (const report of reports) {
      const away = Math.abs(report.time - time);
      if (report.isUsed || !(away <= distance) || values.some((one, at) => one !== report.values[at]))
        continue;
      nearest = report;
      distance = away;
    }
    if (nearest !== null) nearest.isUsed = true;
    return nearest !== null;
  }

  /** Returns whether the server has an event with this id. */
  async hasStored(event_id: string): Promise<boolean> {
    if (this.#newest === null) return false;
    this.#ids ??= this.#readIds();
    return (await this.#ids).has(event_id);
  }

  /** Returns whether the import may end the session: no agent reports it, or its end was reported. */
  async mayEnd(): Promise<boolean> {
    if (this.#newest === null || this.#newest.event_type === 'session_end') return true;
    for (const source of ['hook', 'otel'] as const) {
      const query = { session_id: this.#session_id, source, limit: 1 };
      if ((await events({ ...this.#server, query })).events.length > 0) return false;
    }
    return true;
  }

  #of(event_type: EventType, { by: sources, fields }: Reported): Promise<readonly Report[]> {
    const key = JSON.stringify([event_type, sources, fields]);
    const known = this.#reports.get(key) ?? this.#read(event_type, sources as readonly Source[], fields);
    this.#reports.set(key, known);
    return known;
  }

  async #read(
    event_type: EventType,
    sources: readonly Source[],
    fields: readonly string[],
  ): Promise<readonly Report[]> {
    const reports: Report[] = [];
    for (const source of sources)
      for await (const row of this.#rows({ source, event_type }))
        reports.push({
          time: Date.parse(row.client_timestamp ?? row.time),
          values: fields.map((field) => row[field as keyof EventRow]),
          isUsed: false,
        });
    return reports;
  }

  async #readIds(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for await (const { event_id } of this.#rows({})) if (event_id !== null) ids.add(event_id);
    return ids;
  }

  /** Yields the rows of the session, newest first. */
  async *#rows(filter: Pick<EventsQuery, 'source' | 'event_type'>): AsyncGenerator<EventRow> {
    let before: number | undefined;
    do {
      const query = { session_id: this.#session_id, ...filter, limit: PAGE, before };
      const page: EventPage = await events({ ...this.#server, query });
      yield* page.events;
      before = page.next ?? undefined;
    } while (before !== undefined);
  }
}
