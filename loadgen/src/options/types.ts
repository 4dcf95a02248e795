/** What the command line asks for, once it is checked. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Threshold } from '../threshold.ts';
import type { FlagName, MODES } from './flags.ts';
import type { RequestedRate } from './rates.ts';

export type Durability = 'process' | 'power';
export type RunMode = (typeof MODES)[number];

/** `undefined` where the flag is not given and the mode decides. */
export interface Options {
  readonly mode: RunMode;
  readonly quick: boolean;
  readonly only: TargetName | undefined;
  readonly pick: readonly string[] | undefined;
  readonly events: number | undefined;
  readonly duration: number | undefined;
  readonly driver: 'autocannon' | 'wrk';
  readonly concurrency: number;
  readonly batchSize: number;
  readonly rates: readonly RequestedRate[] | undefined;
  readonly streamClients: number | undefined;
  readonly soakMinutes: number;
  readonly warmup: number | undefined;
  readonly rounds: number;
  readonly starts: number;
  readonly corpus: string | undefined;
  readonly payload: 'mixed' | 'small';
  readonly ids: 'random' | 'time';
  readonly seed: number;
  readonly preload: number;
  readonly durability: Durability;
  readonly maxMetadataBytes: number | undefined;
  readonly thresholds: readonly Threshold[];
  readonly out: string | undefined;
  readonly json: boolean;
  readonly md: string | undefined;
  readonly html: string | undefined;
  readonly build: boolean;
  /** Names of the flags that were given. */
  readonly given: ReadonlySet<FlagName>;
}
