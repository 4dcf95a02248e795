/** A scenario: one question about binary transfer, measured with all servers side by side. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Launch } from '../run/host.ts';
import type { Progress } from '../run/progress.ts';
import type { BenchBrowser } from './bench-page.ts';
import type { BinaryRow, MethodFacts, ScenarioName } from './result.ts';
import type { Sizes } from './sizes.ts';

export interface ScenarioContext {
  readonly launch: Launch;
  readonly sizes: Sizes;
  readonly progress: Progress;
  /** Returns the browser, and starts it at the first call. */
  browser(): Promise<BenchBrowser>;
  add(row: Omit<BinaryRow, 'scenario'>): void;
  /** Records the methods that were measured. The last call counts. */
  describe(methods: readonly MethodFacts[]): void;
}

export interface Scenario {
  readonly name: ScenarioName;
  measure(servers: readonly TargetName[], context: ScenarioContext): Promise<void>;
}
