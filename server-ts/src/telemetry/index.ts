/**
 * Reads the telemetry of agents as events (rules OTL-01 to OTL-10).
 *
 * Invariant: records above the event limit are counted and take no memory (rule ING-09).
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { EventTable } from '../event.ts';
import { FIELD, INT_WIDTH, TRUNCATED, WAIT } from '../field.ts';
import type { Format } from '../formats/index.ts';
import { isSummary, truncateRecord } from '../truncate.ts';
import { NO_CHANGE } from '../waits.ts';
import { type Agent, agentOf, isForChildren, isShared } from './agents.ts';
import { Tally } from './counters.ts';
import { type Mapped, type MappedEvent, mapRecord, type Parents } from './mapping.ts';
import type { Request } from './otlp.ts';
import type { Attributes, Group } from './record.ts';
import { isTooLarge, Records } from './records.ts';

/** The events of a request. */
export interface Telemetry {
  /** The metadata of the events one after the other, in memory of `buffers`. */
  readonly metadata: Buffer;
  readonly events: readonly TelemetryEvent[];
  /** Counts of the request; the caller adds the results of its events. */
  readonly tally: Tally;
}

/** An event, its agent, and the place of its metadata. */
export interface TelemetryEvent extends Omit<MappedEvent, 'metadata'> {
  readonly agent: Agent | undefined;
  readonly start: number;
  readonly end: number;
}

/** Reads a request of at most `maxEvents` events, in slices; further events are counted but not kept. */
export function* readTelemetry(
  request: Request,
  format: Format,
  body: Buffer,
  maxEvents: number,
  buffers: Buffers,
): Generator<undefined, Telemetry> {
  const records = yield* Records.read(body, format, request);
  const parents = request.signal === 'spans' ? yield* parentsIn(records) : new Map<string, Attributes>();
  const mapper = new Mapper(records, parents, maxEvents, buffers);
  try {
    for (const group of records.groups(isShared)) {
      if (group === undefined) yield undefined;
      else yield* mapper.add(group);
    }
    return mapper.finish();
  } catch (error) {
    mapper.texts.release();
    throw error;
  }
}

/**
 * Returns a reader that puts an event into the next row of the table, whose body is the metadata of all. The values
 * are valid, so it finds no problem.
 */
export function rowReader(
  events: readonly TelemetryEvent[],
  table: EventTable,
  maxMetadataBytes: number,
): (index: number) => undefined {
  return (index) => {
    const { eventType, fields, start, end } = events[index]!;
    table.startRow(eventType, 'otel', fields);
    const int = table.count * INT_WIDTH;
    const metadata = int + FIELD.metadata.column;
    table.ints[metadata] = start;
    table.ints[metadata + 1] = end;
    const summary = truncateRecord(table.body, start, end, maxMetadataBytes);
    if (summary !== undefined) table.summarise(int, summary);
    else table.ints[int + TRUNCATED] = isSummary(table.body, start, end) ? 1 : 0;
    table.ints[int + WAIT] = NO_CHANGE;
    table.count++;
    return undefined;
  };
}

/** Maps records group by group. */
class Mapper {
  readonly texts: Texts;
  private readonly tally = new Tally();
  private readonly events: TelemetryEvent[] = [];
  private readonly records: Records;
  private readonly parents: Parents;
  private readonly maxEvents: number;
  private count = 0;

  constructor(records: Records, parents: Parents, maxEvents: number, buffers: Buffers) {
    this.records = records;
    this.parents = parents;
    this.maxEvents = maxEvents;
    this.texts = new Texts(buffers);
  }

  *add(group: Group): Generator<undefined, void> {
    const { records } = this;
    // A record that is too large is not read, so it has no attributes.
    const agent = agentOf(group.scope, group.resource);
    if (records.signal === 'metrics') {
      this.tally.of(agent).count('metrics', yield* records.points(group));
      return;
    }
    for (const place of group.records) {
      if (place === undefined) {
        yield undefined;
      } else if (isTooLarge(place)) {
        this.tally.of(agent).count(records.signal, 1);
        this.tally.of(agent).ignore('too_large');
      } else {
        this.take(mapRecord(records.record(group, place), this.parents));
      }
    }
  }

  finish(): Telemetry {
    const { events, tally, count, maxEvents: limit } = this;
    if (count > limit) throw new Failure('batch_too_large', { limit, actual: count });
    return { metadata: this.texts.finish(), events, tally };
  }

  private take(mapped: Mapped): void {
    const tally = this.tally.of(mapped.agent);
    tally.count(this.records.signal, 1);
    if (mapped.kind === 'rejected') tally.ignore(mapped.reason);
    else if (mapped.kind === 'noise') tally.noise++;
    else if (++this.count <= this.maxEvents) {
      const { eventType, fields, metadata } = mapped.event;
      const start = this.texts.length;
      this.texts.add(metadata);
      this.events.push({ agent: mapped.agent, eventType, fields, start, end: this.texts.length });
    }
  }
}

/**
 * Collects the attributes that spans take from their parents, by the parents' ids. Reads spans only for agents that
 * use this.
 */
function* parentsIn(records: Records): Generator<undefined, Parents> {
  const parents = new Map<string, Map<string, string>>();
  for (const group of records.groups(isShared)) {
    if (group === undefined) {
      yield undefined;
      continue;
    }
    if (agentOf(group.scope, group.resource)?.wantsParents !== true) continue;
    for (const place of group.records) {
      if (place === undefined) {
        yield undefined;
        continue;
      }
      if (isTooLarge(place)) continue;
      const { spanId, attributes } = records.record(group, place);
      if (spanId === undefined) continue;
      for (const [key, json] of attributes) {
        if (!isForChildren(key, json)) continue;
        const parent = parents.get(spanId);
        if (parent === undefined) parents.set(spanId, new Map([[key, json]]));
        else parent.set(key, json);
      }
    }
  }
  return parents;
}

const FIRST_BYTES = 1 << 13;

/** Texts one after the other, in one block of memory. */
export class Texts {
  length = 0;
  private readonly buffers: Buffers;
  private body: Buffer;

  constructor(buffers: Buffers) {
    this.buffers = buffers;
    this.body = Buffer.from(buffers.take(FIRST_BYTES));
  }

  add(text: string): void {
    const needed = this.length + Buffer.byteLength(text);
    if (needed > this.body.length) {
      const larger = Buffer.from(this.buffers.take(needed * 2));
      this.body.copy(larger, 0, 0, this.length);
      this.release();
      this.body = larger;
    }
    this.body.write(text, this.length);
    this.length = needed;
  }

  finish(): Buffer {
    return Buffer.from(this.body.buffer, 0, this.length);
  }

  release(): void {
    this.buffers.give(this.body.buffer);
  }
}
