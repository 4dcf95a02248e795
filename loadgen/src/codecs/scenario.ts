/**
 * A scenario: one question about formats and transports, measured with one server after the other.
 *
 * Invariants: each pair has a fresh process and file. Its slices run in one order and then in the opposite one. A drift
 * of the machine therefore favours no case.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Launch } from '../run/host.ts';
import type { Progress } from '../run/progress.ts';
import { BenchServer, type SliceFigures, type Transport } from './bench-server.ts';
import { FigureValues } from './figure.ts';
import type { Request, Sliced } from './load-process.ts';
import type { Loader } from './loader.ts';
import type { CodecRow, Parameters, ScenarioName } from './result.ts';
import type { Sizes } from './sizes.ts';
import type { EventSource } from './source-events.ts';

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly source: EventSource;
  readonly loader: Loader;
  readonly progress: Progress;
  add(row: Omit<CodecRow, 'scenario'>): void;
}

export interface Scenario {
  readonly name: ScenarioName;
  measure(servers: readonly TargetName[], context: ScenarioContext): Promise<void>;
}

/** One case of a pair. */
export interface Case {
  readonly parameters: Parameters;
  readonly requests: readonly Request[];
  readonly transport: Transport;
  readonly window: number;
  /** Number of requests of a slice; `null` if the slice ends after its time. */
  readonly count: number | null;
  /** Whether the server stores its events. */
  readonly isStored: boolean;
  /** Returns further figures of a slice. */
  readonly more?: (sliced: Sliced) => SliceFigures;
}

/** Length of the warm-up slice, as a share of a measured slice. */
const WARM_UP_SHARE = 0.5;

/**
 * Measures the cases on each server in turn. All cases of a pair share one process, which `fill` fills with events
 * first.
 */
export async function measureCases(
  servers: readonly TargetName[],
  cases: readonly Case[],
  context: ScenarioContext,
  fill?: { readonly requests: readonly Request[] },
): Promise<void> {
  const { launch, loader, sizes } = context;
  const found = new Map(servers.map((name) => [name, cases.map(() => new FigureValues())]));
  const prepared = new Map(cases.map(({ requests }, i) => [String(i), requests]));
  if (fill !== undefined) prepared.set('fill', fill.requests);
  await loader.prepare(prepared);
  for (let pair = 0; pair < sizes.pairs; pair++) {
    for (const name of pair % 2 === 0 ? servers : servers.toReversed()) {
      const server = await BenchServer.start(name, launch, loader);
      const run = ({ transport, window, count, isStored }: Case, i: number, seconds: number) =>
        server.slice({ key: String(i), window, seconds, requests: count }, transport, isStored);
      if (fill !== undefined) {
        const order = { key: 'fill', window: 1, seconds: null, requests: fill.requests.length };
        await server.slice(order, 'tcp', true);
      }
      for (const [i, one] of cases.entries()) await run(one, i, sizes.slice_s * WARM_UP_SHARE);
      const order = cases.map((_, i) => i);
      for (const i of [...order, ...order.toReversed()]) {
        const { sliced, figures } = await run(cases[i]!, i, sizes.slice_s);
        found.get(name)![i]!.add({ ...figures, ...cases[i]!.more?.(sliced) });
      }
      await server.end();
    }
  }
  for (const [server, values] of found) {
    for (const [i, { parameters }] of cases.entries())
      context.add({ server, parameters, figures: values[i]!.all() });
  }
}
