/**
 * Reads the telemetry of agents as events (rules OTL-01 to OTL-10).
 *
 * Invariant: every record becomes one line of JSON, so that the rules of events exist once (decision 58). Records
 * above the event limit are counted and take no memory (rule ING-09).
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import { type Agent, agentOf, isForChildren, isShared } from './agents.ts';
import { Tally } from './counters.ts';
import { type Mapped, mapRecord, type Parents } from './mapping.ts';
import type { Request } from './otlp.ts';
import type { Attributes, Group } from './record.ts';
import { isTooLarge, Records } from './records.ts';

/** The events of a request. */
export interface Telemetry {
  /** One JSON text a line, in memory of `buffers`. */
  readonly lines: Buffer;
  /** The agent of each event. */
  readonly agents: readonly (Agent | undefined)[];
  /** Counts of the request; the caller adds the results of its events. */
  readonly tally: Tally;
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
    mapper.lines.release();
    throw error;
  }
}

/** Maps records group by group. */
class Mapper {
  readonly lines: Lines;
  private readonly tally = new Tally();
  private readonly agents: (Agent | undefined)[] = [];
  private readonly records: Records;
  private readonly parents: Parents;
  private readonly maxEvents: number;
  private count = 0;

  constructor(records: Records, parents: Parents, maxEvents: number, buffers: Buffers) {
    this.records = records;
    this.parents = parents;
    this.maxEvents = maxEvents;
    this.lines = new Lines(buffers);
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
    const { agents, tally, count, maxEvents: limit } = this;
    if (count > limit) throw new Failure('batch_too_large', { limit, actual: count });
    return { lines: this.lines.finish(), agents, tally };
  }

  private take(mapped: Mapped): void {
    const tally = this.tally.of(mapped.agent);
    tally.count(this.records.signal, 1);
    if (mapped.kind === 'rejected') tally.ignore(mapped.reason);
    else if (mapped.kind === 'noise') tally.noise++;
    else if (++this.count <= this.maxEvents) {
      this.agents.push(mapped.agent);
      this.lines.add(mapped.text);
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

/** A body in construction, line by line. */
export class Lines {
  private readonly buffers: Buffers;
  private body: Buffer;
  private length = 0;

  constructor(buffers: Buffers) {
    this.buffers = buffers;
    this.body = Buffer.from(buffers.take(FIRST_BYTES));
  }

  add(text: string): void {
    const needed = this.length + Buffer.byteLength(text) + 1;
    if (needed > this.body.length) {
      const larger = Buffer.from(this.buffers.take(needed * 2));
      this.body.copy(larger, 0, 0, this.length);
      this.release();
      this.body = larger;
    }
    this.body.write(`${text}\n`, this.length);
    this.length = needed;
  }

  finish(): Buffer {
    return Buffer.from(this.body.buffer, 0, this.length);
  }

  release(): void {
    this.buffers.give(this.body.buffer);
  }
}
