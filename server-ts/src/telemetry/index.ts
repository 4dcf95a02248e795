/**
 * Reads the telemetry of agents as events (rules OTL-01 to OTL-10).
 *
 * Invariant: every record becomes one line of JSON, so that the rules of events exist once (decision 58). Records beyond
 * the limit of events are counted and take no memory (rule ING-09).
 */
import type { Buffers } from '../buffers.ts';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import { type Agent, agentOf, isForChildren, isShared } from './agents.ts';
import { Tally } from './counters.ts';
import { mapRecord } from './mapping.ts';
import type { Request } from './otlp.ts';
import type { Attributes } from './record.ts';
import { isTooLarge, Records } from './records.ts';

/** The events of a request. */
export interface Telemetry {
  /** One JSON text a line, in memory of `buffers`. */
  readonly lines: Buffer;
  /** The agent of each event. */
  readonly agents: readonly (Agent | undefined)[];
  /** What the request was; what becomes of its events is yet to be counted. */
  readonly tally: Tally;
}

/** Reads a request of at most `maxEvents` events, in slices; those above are counted and not kept. */
export function* readTelemetry(
  request: Request,
  format: Format,
  body: Buffer,
  maxEvents: number,
  buffers: Buffers,
): Generator<undefined, Telemetry> {
  const records = yield* Records.read(body, format, request);
  const parents = request.signal === 'spans' ? yield* parentsIn(records) : new Map<string, Attributes>();
  const tally = new Tally();
  const agents: (Agent | undefined)[] = [];
  const lines = new Lines(buffers);
  let count = 0;
  try {
    for (const group of records.groups(isShared)) {
      if (group === undefined) {
        yield undefined;
        continue;
      }
      if (request.signal === 'metrics') {
        tally.of(agentOf(group.scope, group.resource)).count('metrics', yield* records.points(group));
        continue;
      }
      for (const place of group.records) {
        if (place === undefined) {
          yield undefined;
        } else if (isTooLarge(place)) {
          const of = tally.of(agentOf(group.scope, group.resource));
          of.count(request.signal, 1);
          of.ignore('too_large');
        } else {
          const mapped = mapRecord(records.record(group, place), parents);
          const of = tally.of(mapped.agent);
          of.count(request.signal, 1);
          if (mapped.kind === 'rejected') of.ignore(mapped.reason);
          else if (mapped.kind === 'noise') of.noise++;
          else if (++count <= maxEvents) {
            agents.push(mapped.agent);
            lines.add(mapped.text);
          }
        }
      }
    }
    if (count > maxEvents) throw new Failure('batch_too_large', { limit: maxEvents, actual: count });
  } catch (error) {
    lines.release();
    throw error;
  }
  return { lines: lines.finish(), agents, tally };
}

/** What spans take from their parents, by the ids of the parents; it is looked up only where a group wants it. */
function* parentsIn(records: Records): Generator<undefined, ReadonlyMap<string, Attributes>> {
  const parents = new Map<string, Map<string, string>>();
  if (!(yield* isAnyWanting(records))) return parents;
  for (const group of records.groups(isShared)) {
    if (group === undefined) {
      yield undefined;
      continue;
    }
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

function* isAnyWanting(records: Records): Generator<undefined, boolean> {
  for (const group of records.groups(isShared)) {
    if (group === undefined) yield undefined;
    else if (agentOf(group.scope, group.resource)?.wantsParents === true) return true;
  }
  return false;
}

const FIRST_BYTES = 1 << 13;

/** A body that grows line by line. */
class Lines {
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
