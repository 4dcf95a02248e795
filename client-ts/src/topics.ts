/**
 * The topics of one server, for as many `Sync`s as a page has: one stream of invalidations, and a snapshot per pull
 * (contract, section "State").
 *
 * What must stay true: there is at most one connection, and only while somebody listens. Whoever listens need not wait
 * for it: it opens with the revision of each topic, so that nothing is missed while there was none.
 */
import { type ConnectionState, keepConnected } from './connection.ts';
import type { EventPage, SessionPage, SessionWithEvents, Stats } from './contract.ts';
import { within } from './deadline.ts';
import { refusalOf } from './refusal.ts';
import { REQUEST_MS, type Server, type ServerOptions, serverOf } from './server.ts';
import { isInvalidation, type Known, type Snapshot, type SyncOptions } from './sync-options.ts';
import { Timelines } from './timelines.ts';

/** Each topic and its state (contract, rule SYN-05). The id of a session stands in its topic as it is. */
export interface TopicStates {
  readonly events: EventPage;
  readonly stats: Stats;
  readonly sessions: SessionPage;
  readonly [session: `session:${string}`]: SessionWithEvents;
}

export type TopicName = keyof TopicStates;

export interface TopicsOptions extends ServerOptions {
  readonly topics: readonly TopicName[];
  /** How far apart the server keeps what it tells, milliseconds; 0 unless said otherwise. */
  readonly min_interval_ms?: number;
  /** How long a snapshot may take before it counts as failed, milliseconds; 30,000 unless said otherwise. */
  readonly request_ms?: number;
  /** Of the stream; `closed` with an error is a refusal that stays. `wait_ms`: of `waiting`, until the next attempt. */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

export interface TopicOptions {
  /** Most rows of a snapshot; the server's default unless said otherwise. */
  readonly limit?: number;
  /** Of `events`: only what came since what is known, where that is not too much; then the snapshot has `since`. */
  readonly deltas?: boolean;
}

/** What a `Sync` has to be told of a topic. */
export type Topic<T> = Pick<SyncOptions<T>, 'topic' | 'subscribe' | 'fetch'>;

export class Topics {
  readonly #options: TopicsOptions;
  readonly #server: Server;
  readonly #timelines = new Timelines();
  readonly #hearers = new Set<(heard: unknown) => void>();
  /** Ends the connection that there is. */
  #end: AbortController | undefined;

  constructor(options: TopicsOptions) {
    this.#options = options;
    this.#server = serverOf(options);
  }

  /** Throws a `TypeError` for a topic that the stream does not carry. */
  of<Name extends TopicName>(topic: Name, options: TopicOptions = {}): Topic<TopicStates[Name]> {
    if (!this.#options.topics.includes(topic)) throw new TypeError(`not among the topics: ${topic}`);
    const { request_ms = REQUEST_MS } = this.#options;
    return {
      topic,
      subscribe: async (hear) => this.#subscribe(hear),
      fetch: (known, signal) =>
        within(request_ms, this.#server.clock, signal, (end) => this.#pull(topic, options, known, end)),
    };
  }

  async #pull<T>(
    topic: string,
    { limit, deltas = false }: TopicOptions,
    known: Known | null,
    signal: AbortSignal,
  ): Promise<Snapshot<T> | null> {
    const { baseUrl, headers, fetch } = this.#server;
    const query = new URLSearchParams();
    if (limit) query.set('limit', String(limit));
    if (known && deltas) {
      query.set('since', known.revision);
      query.set('epoch', known.epoch);
    }
    const response = await fetch(`${baseUrl}/api/snapshot/${encoded(topic)}?${query}`, {
      headers: known ? { ...headers, 'if-none-match': `W/"${known.epoch}-${known.revision}"` } : headers,
      // What is known is said; a cache between would hide that it still holds.
      cache: 'no-store',
      signal,
    });
    if (response.status === 304) return null;
    if (!response.ok) throw await refusalOf(response);
    const snapshot = (await response.json()) as Snapshot<T>;
    if (isInvalidation(snapshot)) this.#timelines.know(snapshot);
    return { ...snapshot, whole: deltas && snapshot.since === undefined };
  }

  #subscribe(hear: (heard: unknown) => void): () => void {
    this.#hearers.add(hear);
    this.#end ??= this.#open();
    return () => {
      if (!this.#hearers.delete(hear) || this.#hearers.size > 0) return;
      this.#end?.abort();
      this.#end = undefined;
    };
  }

  #open(): AbortController {
    const { topics, min_interval_ms = 0 } = this.#options;
    const query = new URLSearchParams({
      mode: 'invalidate',
      min_interval_ms: String(min_interval_ms),
      topics: topics.map(encoded).join(),
    });
    const end = new AbortController();
    keepConnected(
      {
        ...this.#server,
        url: () => {
          this.#timelines.connect();
          return `${this.#server.baseUrl}/api/stream?${query}`;
        },
        onMessage: ({ event, data }) => {
          if (event !== 'invalidate') return;
          const heard = this.#timelines.hear(JSON.parse(data));
          for (const hear of this.#hearers) hear(heard);
        },
        onState: (...told) => {
          // The end of a connection that another one has followed is nobody's state.
          if ((this.#end ?? end) === end) this.#options.onState?.(...told);
        },
      },
      end.signal,
    )
      .catch(() => undefined)
      .then(() => {
        // Refused, which was told: whoever comes next may try again.
        if (this.#end === end) this.#end = undefined;
      });
    return end;
  }
}

/** As it stands in a path or a list: only the id of a session may hold what means something there. */
function encoded(topic: string): string {
  const at = topic.indexOf(':') + 1;
  return topic.slice(0, at) + encodeURIComponent(topic.slice(at));
}
