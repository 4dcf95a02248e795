/**
 * A scenario: one question about typed calls, measured with one server after the other.
 *
 * Invariants: each pair has a fresh process. Its slices run in one order and then in the opposite one. A drift of the
 * machine therefore favours no case.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Launch } from '../run/host.ts';
import type { Progress } from '../run/progress.ts';
import type { Call } from './call.ts';
import { type Caller, CallServer, type SliceLength } from './caller.ts';
import { Pool } from './pool.ts';
import type { Parameters, RpcRow, ScenarioName } from './result.ts';
import type { Sizes } from './sizes.ts';
import { type Subject, TEXT_TYPES } from './values.ts';

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly seed: number;
  readonly caller: Caller;
  readonly progress: Progress;
  add(row: Omit<RpcRow, 'scenario'>): void;
}

export interface Scenario {
  readonly name: ScenarioName;
  measure(servers: readonly TargetName[], context: ScenarioContext): Promise<void>;
}

/** Calls up to this length are made before the measurement, to warm up the process and the client's connections. */
const SMALL_LENGTH = 1_000;

/** Measures the calls on each server in turn. All calls of a pair share one process. */
export async function measureCalls(
  servers: readonly TargetName[],
  calls: readonly Call[],
  length: Omit<SliceLength, 'seed'>,
  { launch, caller, sizes, seed, add }: ScenarioContext,
): Promise<void> {
  const pools = new Map(servers.map((name) => [name, calls.map(() => new Pool())]));
  const order = calls.map((_, i) => i);
  for (let pair = 0; pair < sizes.pairs; pair++) {
    for (const name of pair % 2 === 0 ? servers : servers.toReversed()) {
      const server = await CallServer.start(name, launch, caller);
      const small = calls.filter((call) => (call.length ?? 0) <= SMALL_LENGTH);
      for (const call of small) await server.prepare(call, seed, sizes.settle_s / small.length);
      for (const i of [...order, ...order.toReversed()]) {
        await server.prepare(calls[i]!, seed, length.warm_up_s);
        const { sliced, cpu_us } = await server.run(length.slice_s, length.least);
        pools.get(name)![i]!.add(sliced, cpu_us);
      }
      await server.end();
    }
  }
  for (const [server, values] of pools) {
    for (const [i, call] of calls.entries())
      add({ server, parameters: parametersOf(call), figures: values[i]!.figures() });
  }
}

/** Returns the parameters of a row. A single value has no `length`, and a type without text has no `strings`. */
export function parametersOf({ type, length, strings, client, format, in_flight }: Call): Parameters {
  return {
    type,
    ...(length === null ? {} : { length }),
    ...(hasText(type) ? { strings } : {}),
    client,
    format,
    in_flight,
  };
}

export function hasText(type: Subject['type']): boolean {
  return (TEXT_TYPES as readonly string[]).includes(type);
}

/** Returns the call of most rows: the caller of client-ts with its checks, JSON, and one call in flight. */
export function usualCall(subject: Subject, other: Partial<Call> = {}): Call {
  return { ...subject, client: 'checked', format: 'json', in_flight: 1, ...other };
}
