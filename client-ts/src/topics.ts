/**
 * Serves the topics of one server to any number of `Sync`s: one stream of invalidations, and one snapshot per fetch
 * (contract, section "State").
 *
 * Invariant: there is at most one connection, and only while a `Sync` is subscribed. A subscriber need not wait for
 * it: the connection opens with the revision of each topic, so no change is missed.
 */
import { type ConnectionState, keepConnected } from './connection.ts';
import type { EventPage, SessionPage, SessionWithEvents, Stats } from './contract.ts';
import { within } from './deadline.ts';
import { refusalOf } from './refusal.ts';
import { REQUEST_MS, type Server, type ServerOptions, serverOf } from './server.ts';
import { isInvalidation, type Known, type Snapshot, type SyncOptions } from './sync-options.ts';
import { Timelines } from './timelines.ts';

/** Each topic and its state (contract, rule SYN-05). The id of a session is unencoded in its topic. */
export interface TopicStates {
  readonly events: EventPage;
  readonly stats: Stats;
  readonly sessions: SessionPage;
  readonly [session: `session:${string}`]: SessionWithEvents;
}

export type TopicName = keyof TopicStates;

export interface TopicsOptions extends ServerOptions {
  readonly topics: readonly TopicName[];
  /** Least time between the server's notifications, in milliseconds; 0 by default. */
  readonly min_interval_ms?: number;
  /** Time limit of a snapshot, in milliseconds; 30,000 by default. */
  readonly request_ms?: number;
  /**
   * State of the stream; `closed` with an error is a permanent refusal. `wait_ms`: for `waiting`, the time until the
   * next attempt.
   */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

export interface TopicOptions {
  /** Page size of a snapshot; the server's default if absent. */
  readonly limit?: number;
  /** For `events`: only the changes since the known revision, if they fit; the snapshot then has `since`. */
  readonly deltas?: boolean;
}

/** The options of a `Sync` that depend on the topic. */
export type Topic<T> = Pick<SyncOptions<T>, 'topic' | 'subscribe' | 'fetch'>;

export class Topics {
  readonly #options: TopicsOptions;
  readonly #server: Server;
  readonly #timelines = new Timelines();
  readonly #hearers = new Set<(heard: unknown) => void>();
  /** Ends the current connection. */
  #end: AbortController | undefined;

  constructor(options: TopicsOptions) {
    this.#options = options;
    this.#server = serverOf(options);
  }

  /** Returns the options of a `Sync` for a topic. Throws a `TypeError` for a topic that the stream does not carry. */
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
      // The request contains the known revision. A cache between client and server would hide a 304.
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
        onState: (...state) => {
          // A connection that was replaced must not report its end.
          if ((this.#end ?? end) === end) this.#options.onState?.(...state);
        },
      },
      end.signal,
    )
      .catch(() => undefined)
      .then(() => {
        // The refusal was reported. The next subscriber may try again.
        if (this.#end === end) this.#end = undefined;
      });
    return end;
  }
}

/** Encodes a topic for a path or a list: only the id of a session may contain reserved characters. */
function encoded(topic: string): string {
  const at = topic.indexOf(':') + 1;
  return topic.slice(0, at) + encodeURIComponent(topic.slice(at));
}
