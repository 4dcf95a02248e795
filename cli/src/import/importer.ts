/**
 * Reads families of transcripts and sends their events.
 *
 * Invariant: memory is bounded by one line, the queue of the sender, and the reports and line ids of one family. A dry run
 * also keeps the ids of all events, because it has no server that knows them.
 */
import { Sender, type SenderState, type ServerOptions } from '@twin-ingest/client';
import { reasonOf } from '../request.ts';
import type { Family, SessionFiles, TranscriptFile } from './files.ts';
import { KnownSession } from './known.ts';
import { linesOf } from './lines.ts';
import type { TranscriptMapping } from './mapping.ts';
import type { Counts, Tally } from './tally.ts';
import { type Found, Transcript } from './transcript.ts';

/** Events of one request: their metadata and fields stay far below the limit of a body. */
const BATCH_EVENTS = 500;
/** Events after which the reader waits for those before. */
const WINDOW_EVENTS = 2 * BATCH_EVENTS;
/** Telemetry arrives seconds late, and an answer may still grow. Younger events wait for the next run. */
const SETTLE_MS = 60_000;
/** Time without an accepted request after which the import gives up. */
const PATIENCE_MS = 30_000;

/** The server refuses, or does not answer. */
export class UnsentError extends Error {}

export interface ImporterOptions {
  readonly mapping: TranscriptMapping;
  readonly server: ServerOptions;
  readonly since: number;
  readonly dryRun: boolean;
  /** Whether the server can be asked what it has. */
  readonly asks: boolean;
  readonly tally: Tally;
  /** Called after each line. */
  progress(): void;
}

export class Importer {
  readonly #options: ImporterOptions;
  readonly #sender: Sender;
  readonly #stop = new AbortController();
  readonly #now = Date.now();
  #queued = 0;
  #flush: Promise<void> = Promise.resolve();
  #failing_since: number | null = null;
  /** What a dry run would send. */
  readonly #dry = { stored: 0, duplicates: 0, ids: new Set<string>() };

  constructor(options: ImporterOptions) {
    this.#options = options;
    this.#sender = new Sender({
      ...options.server,
      batch_events: BATCH_EVENTS,
      onState: (state, error) => this.#watch(state, error),
      onRejected: ({ metadata }, problems) => {
        const { transcript_path, line } = metadata as Readonly<Record<string, unknown>>;
        options.tally.problem('rejected', `${transcript_path}:${line}`, problems.join(', '));
      },
    });
  }

  /** What was stored, or in a dry run would be. */
  get counts(): Counts {
    return this.#options.dryRun ? this.#dry : this.#sender.counts;
  }

  /** Imports the sessions of a family. Rejects with an `UnsentError`. */
  async import(family: Family): Promise<void> {
    // Only a family of several sessions can hold copies.
    const lineKeys = family.length > 1 ? new Set<string>() : null;
    for (const session of family) await this.#importSession(session, lineKeys);
  }

  /** Sends the last events. */
  async finish(): Promise<void> {
    await this.#flush;
    await this.#settled();
  }

  /** Ends the sender. */
  stop(): void {
    this.#sender.stop();
  }

  async #importSession({ files }: SessionFiles, lineKeys: Set<string> | null): Promise<void> {
    const { tally } = this.#options;
    const known = new Map<string, KnownSession | null>();
    const { stored } = this.counts;
    let end: Found | null = null;
    for (const file of files) end = (await this.#importFile(file, lineKeys, known)) ?? end;
    tally.sessions += known.size;
    if (end === null || this.#isRecent(end)) return;
    await this.#settled();
    const session = known.get(end.event.session_id) ?? null;
    const mayEnd = session === null || (await this.#ask(session.mayEnd()));
    if (mayEnd && this.counts.stored > stored) await this.#send(end, session);
  }

  /** Returns the end of the file's session; `null` for a file without one. */
  async #importFile(
    file: TranscriptFile,
    lineKeys: Set<string> | null,
    known: Map<string, KnownSession | null>,
  ): Promise<Found | null> {
    const { mapping, tally } = this.#options;
    const transcript = new Transcript(mapping, file.path, {
      problem: (kind, line, name) => tally.problem(kind, `${file.path}:${line}`, name),
      isCopy: (key) => {
        if (lineKeys === null || !lineKeys.has(key)) {
          lineKeys?.add(key);
          return false;
        }
        tally.copies++;
        return true;
      },
    });
    tally.files++;
    try {
      for await (const line of linesOf(file.path)) {
        tally.lines++;
        tally.bytes += line.bytes;
        for (const found of transcript.read(line)) await this.#offer(found, known);
        this.#options.progress();
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      tally.problem('unreadable', file.path, error.code);
    }
    for (const found of transcript.end()) await this.#offer(found, known);
    return transcript.endOfSession;
  }

  /** Sends an event unless it is too old, too young or reported. */
  async #offer(found: Found, known: Map<string, KnownSession | null>): Promise<void> {
    const { tally, since, asks, server } = this.#options;
    const { session_id, client_timestamp } = found.event;
    if (Date.parse(client_timestamp ?? '') < since) return;
    if (this.#isRecent(found)) {
      tally.recent++;
      return;
    }
    tally.found++;
    let session = known.get(session_id);
    if (session === undefined) {
      session = asks ? await this.#ask(KnownSession.of(server, session_id)) : null;
      known.set(session_id, session);
    }
    if (session !== null && (await this.#ask(session.hasReported(found)))) tally.reported++;
    else await this.#send(found, session);
  }

  async #send({ event }: Found, session: KnownSession | null): Promise<void> {
    if (this.#options.dryRun) {
      await this.#count(event.event_id, session);
      return;
    }
    this.#sender.send(event);
    if (++this.#queued % WINDOW_EVENTS !== 0) return;
    await this.#flush;
    this.#flush = this.#settled();
    this.#flush.catch(() => undefined);
  }

  /** Counts an event as the server would. */
  async #count(event_id: string, session: KnownSession | null): Promise<void> {
    const isStored = session !== null && (await this.#ask(session.hasStored(event_id)));
    if (isStored || this.#dry.ids.has(event_id)) this.#dry.duplicates++;
    else this.#dry.stored++;
    this.#dry.ids.add(event_id);
  }

  async #settled(): Promise<void> {
    try {
      await this.#sender.flush({ signal: this.#stop.signal });
    } catch (error) {
      throw error instanceof UnsentError ? error : new UnsentError(reasonOf(error, PATIENCE_MS));
    }
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    return await answer.catch((error: unknown) => {
      throw new UnsentError(reasonOf(error, PATIENCE_MS));
    });
  }

  #isRecent({ event }: Found): boolean {
    return Date.parse(event.client_timestamp ?? '') > this.#now - SETTLE_MS;
  }

  #watch(state: SenderState, error: unknown): void {
    const now = performance.now();
    if (state === 'connected') this.#failing_since = null;
    else this.#failing_since ??= now;
    const isLong = this.#failing_since !== null && now - this.#failing_since > PATIENCE_MS;
    if (state === 'refused' || isLong) this.#stop.abort(new UnsentError(reasonOf(error, PATIENCE_MS)));
  }
}

/** Returns whether reading the file failed. The client wraps errors of the network. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
