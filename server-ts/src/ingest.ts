/**
 * Runs the ingest pipeline: read, validate, redact, truncate, store. A single event is a batch of one.
 *
 * A request's ticket bounds the work that waits for the writer (rule ING-10). A long body is processed in slices, so
 * that other requests run in between (decision 104). Knows nothing of HTTP. Over 250 lines because every source of
 * events has its function here.
 */
import { isAscii } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import type { Ticket } from './admission.ts';
import type { Buffers } from './buffers.ts';
import type { Cluster } from './cluster/index.ts';
import type { Config } from './config/index.ts';
import { TUNING, VOCABULARY } from './contract.ts';
import { Failure } from './error.ts';
import { EventTable, type Outcomes, RawEvents, type Rejected } from './event.ts';
import { FIELD, WAIT } from './field.ts';
import { type Format, loadFormat, readBatch, readEvent } from './formats/index.ts';
import { type Mapping, readHook, summaryKeysOf } from './hooks.ts';
import type { EventSource } from './meters.ts';
import { RedactionStep } from './redact/step.ts';
import { OPEN_OBJECT } from './scanner.ts';
import type { Store } from './store/index.ts';
import type { Tally } from './telemetry/counters.ts';
import { readTelemetry, rowReader, type Telemetry } from './telemetry/index.ts';
import type { Request } from './telemetry/otlp.ts';
import { truncateMetadata, truncatePayload, truncateRecord } from './truncate.ts';
import { validator } from './validate.ts';
import { DISMISSAL } from './waits.ts';

const HOOK = VOCABULARY.sources.indexOf('hook');
const OTEL = VOCABULARY.sources.indexOf('otel');

/** A longer body is processed in slices. */
const SLICED_BYTES = 1 << 16;
/** Events per slice. */
const SLICE_EVENTS = 250;

/** Largest number of idle tables, and their largest size. */
const IDLE_TABLES = 64;
const IDLE_SPANS = 1 << 14;

type IngestConfig = Pick<
  Config,
  'maxBatchEvents' | 'maxMetadataBytes' | 'discardLargeMetadata' | 'redaction'
>;

type Truncate = Parameters<RedactionStep['reader']>[2];

/** How a body's items become events. */
interface Way {
  readonly reader: typeof validator;
  readonly truncate: Truncate;
  /** Whether ids of events are those of the client. */
  readonly hasOwnId: boolean;
  /** Whether redaction applies. */
  readonly isRedacted: boolean;
}

const EVENTS: Way = { reader: validator, truncate: truncateSent, hasOwnId: true, isRedacted: true };

export class Ingest {
  private readonly store: Store;
  /** Where the events go instead, with `--store jetstream`. */
  private readonly cluster: Cluster | undefined;
  private readonly config: IngestConfig;
  private readonly buffers: Buffers;
  /** Idle tables of spans. */
  private readonly idle: RawEvents[] = [];
  private readonly step: RedactionStep;
  /** The turn of the newest slice that waits. */
  private lastTurn: Promise<void> = Promise.resolve();
  private redactedCount = 0;

  constructor(store: Store, cluster: Cluster | undefined, config: IngestConfig, buffers: Buffers) {
    this.store = store;
    this.cluster = cluster;
    this.config = config;
    this.buffers = buffers;
    const { maxMetadataBytes, discardLargeMetadata, redaction } = config;
    this.step = new RedactionStep(maxMetadataBytes, !discardLargeMetadata, redaction);
  }

  /** The number of events that redaction changed since the start (rule RED-07). */
  get redacted(): number {
    return this.redactedCount;
  }

  /** Stores a body of one event. Gives the body back to the memory pool. */
  single(body: Buffer, format: Format, ticket: Ticket): Promise<Outcomes> {
    return this.take(body, 'events', ticket, EVENTS, (raw) => {
      const read = (): Buffer => readEvent(format, body, raw, this.buffers);
      return loadFormat(format)?.then(read) ?? read();
    });
  }

  /** Stores an agent's hook as one event (rule HOK-01). Gives the body back to the memory pool. */
  hook(body: Buffer, mapping: Mapping, ticket: Ticket): Promise<Outcomes> {
    const way: Way = {
      reader: (raw, table, limit) => () => readHook(mapping, raw, table, limit),
      truncate: (bytes, start, end, limit) => truncatePayload(bytes, start, end, limit, mapping.summaryKeys),
      hasOwnId: false,
      isRedacted: true,
    };
    return this.take(body, 'hooks', ticket, way, (raw) => readEvent('json', body, raw, this.buffers));
  }

  /** Stores a user's dismissal of a session's waits, as an event of that session (rule WAI-05). */
  dismissal(sessionId: string, agentType: string, ticket: Ticket): Promise<Outcomes> {
    const event = { session_id: sessionId, agent_type: agentType, ...VOCABULARY.dismissal };
    const text = JSON.stringify(event);
    const body = this.buffers.bytes(Buffer.byteLength(text));
    body.write(text);
    const reader: typeof validator = (raw, table, limit) => {
      const validate = validator(raw, table, limit);
      return (index) => {
        const errors = validate(index);
        table.ints[WAIT] = DISMISSAL;
        return errors;
      };
    };
    // The session's own values are redacted already.
    const way: Way = { ...EVENTS, reader, isRedacted: false };
    return this.take(body, 'dismissals', ticket, way, (raw) => readEvent('json', body, raw, this.buffers));
  }

  /**
   * Stores the events of a batch. Gives the body back to the memory pool. `onQueued` runs once they are in the
   * writer's queue.
   */
  batch(
    body: Buffer,
    format: Format,
    source: EventSource,
    ticket: Ticket,
    onQueued?: () => void,
  ): Promise<Outcomes> {
    return this.take(
      body,
      source,
      ticket,
      EVENTS,
      (raw) => this.readBatch(body, format, ticket, raw),
      onQueued,
    );
  }

  /**
   * Stores a telemetry request; returns the rejected records (rules OTL-01 and OTL-07). Gives the body back to the
   * memory pool.
   */
  async telemetry(body: Buffer, format: Format, request: Request, ticket: Ticket): Promise<Tally> {
    const { metadata, events, tally } = await this.readTelemetry(body, format, request, ticket);
    if (events.length === 0) {
      this.buffers.give(metadata.buffer);
      return tally;
    }
    const way: Way = {
      ...EVENTS,
      reader: (_, table, limit) => rowReader(events, table, limit),
      truncate: truncateRecord,
      hasOwnId: false,
    };
    const outcomes = await this.take(metadata, 'telemetry', ticket, way, (raw) => {
      for (let index = 0; index < events.length; index++) raw.add();
      return metadata;
    });
    events.forEach(({ agent }, index) => {
      if (outcomes.ids[index] === 0) tally.of(agent).duplicates++;
      else tally.of(agent).stored++;
    });
    return tally;
  }

  private async readTelemetry(
    body: Buffer,
    format: Format,
    request: Request,
    ticket: Ticket,
  ): Promise<Telemetry> {
    try {
      if (isLarge(body)) await ticket.takeTurn();
      const reading = readTelemetry(request, format, body, this.config.maxBatchEvents, this.buffers);
      let step = reading.next();
      while (!step.done) {
        await this.turn();
        step = reading.next();
      }
      return step.value;
    } finally {
      this.buffers.give(body.buffer);
    }
  }

  private async readBatch(body: Buffer, format: Format, ticket: Ticket, raw: RawEvents): Promise<Buffer> {
    const limit = this.config.maxBatchEvents;
    await loadFormat(format);
    const reading = readBatch(format, body, raw, limit, this.buffers);
    let step = reading.next();
    while (!step.done) {
      if (isSliced(body)) await this.turn();
      step = reading.next();
    }
    const batch = step.value;
    if (batch.count > limit) throw new Failure('batch_too_large', { limit, actual: batch.count });
    ticket.noteBatch(batch.count);
    return batch.body;
  }

  /** Reads a body, checks its events and stores the valid ones. */
  private async take(
    sent: Buffer,
    source: EventSource,
    ticket: Ticket,
    way: Way,
    read: (raw: RawEvents) => Promise<Buffer> | Buffer,
    onQueued?: () => void,
  ): Promise<Outcomes> {
    const raw = this.idle.pop() ?? new RawEvents();
    let body = sent;
    let table: EventTable | undefined;
    let isStillRead = false;
    try {
      if (isLarge(sent)) await ticket.takeTurn();
      if (isSliced(sent)) await this.turn();
      body = await read(raw);
      if (body !== sent) this.buffers.give(sent.buffer);
      const { count } = raw;
      table = new EventTable(body, count, this.buffers);
      const rejected: Rejected[] = [];
      const validate = this.reader(way, raw, table);
      if (isSliced(body)) await this.turn();
      for (let index = 0; index < count; index++) {
        const errors = validate(index);
        if (errors !== undefined) rejected.push({ index, line: raw.lines[index], errors });
        if (isSliced(body) && index % SLICE_EVENTS === SLICE_EVENTS - 1) await this.turn();
      }
      ticket.endTurn();
      await ticket.holdEvents(count);
      this.store.meters.countEvents('rejected', source, rejected.length);
      if (table.count === 0) return { rejected, ids: new Float64Array(0), revision: this.store.newest };
      const submitted =
        this.cluster === undefined
          ? this.store.submit(table, source, table.extra === undefined && isAscii(body))
          : this.cluster.submit(table, source);
      onQueued?.();
      const result = await submitted;
      if ('code' in result) {
        isStillRead = result.isStillRead;
        throw new Failure(result.code);
      }
      return { rejected, ids: result.ids, revision: this.store.newest };
    } finally {
      this.recycle(raw);
      if (table === undefined) this.buffers.give(body.buffer);
      else if (!isStillRead) table.release();
    }
  }

  /** Returns the reader of a body's items, with redaction if there is one. */
  private reader(way: Way, raw: RawEvents, table: EventTable): ReturnType<typeof validator> {
    const step = way.isRedacted ? this.step : this.step.withoutRedaction();
    const read = way.reader(raw, table, Number.MAX_SAFE_INTEGER);
    return step.reader(table, read, way.truncate, way.hasOwnId, () => {
      this.redactedCount++;
    });
  }

  /**
   * Waits for the next turn of the event loop that no other slice has. So all long bodies together delay other
   * requests by one slice per turn.
   */
  private turn(): Promise<void> {
    this.lastTurn = this.lastTurn.then(() => setImmediate());
    return this.lastTurn;
  }

  private recycle(raw: RawEvents): void {
    if (this.idle.length === IDLE_TABLES || raw.spans.length > IDLE_SPANS) {
      raw.free();
      return;
    }
    raw.clear();
    this.idle.push(raw);
  }
}

/**
 * Returns the summary of an event's metadata by its source (rule MET-02). So the receiver of a forwarded event makes the
 * summary that its sender has.
 */
function truncateSent(
  bytes: Buffer,
  start: number,
  end: number,
  limit: number,
  table: EventTable,
  row: number,
): string | undefined {
  const source = bytes[start] === OPEN_OBJECT ? table.ints[row + FIELD.source.column] : undefined;
  if (source === OTEL) return truncateRecord(bytes, start, end, limit);
  const keys = source === HOOK ? summaryKeysOf(table.textAt(row + FIELD.agent_type.column)) : undefined;
  return keys === undefined
    ? truncateMetadata(bytes, start, end, limit)
    : truncatePayload(bytes, start, end, limit, keys);
}

/** Returns whether a body is processed in slices. */
function isSliced(body: Buffer): boolean {
  return body.length > SLICED_BYTES;
}

/** Returns whether a body needs one of the turns of large bodies. */
function isLarge(body: Buffer): boolean {
  return body.length > TUNING.large_body_bytes;
}
