/**
 * The result of a run, as it is stored: raw samples, and the summaries that follow from them.
 *
 * Its shape is contract/benchmark-results.schema.json. What must stay true: nothing is rounded, no path of
 * the machine is in it, and every summary can be computed again from `rounds` and `starts_ms`.
 */
import { basename } from 'node:path';
import type { TargetName } from '../../parity-tests/src/targets.ts';
import type { Contenders } from './contenders.ts';
import type { Driver } from './drivers/driver.ts';
import type { Environment } from './environment.ts';
import type { Health } from './health.ts';
import { METRICS } from './metrics.ts';
import type { Options } from './options.ts';
import type { Placement } from './placement.ts';
import type { Plan } from './plan.ts';
import type { PoolFacts } from './pool.ts';
import type { Sample } from './sample.ts';
import type { DeployedSize } from './size.ts';
import { type Ratio, ratioOf, type Summary, summarise } from './statistics.ts';
import { reasonsToDistrust, type Warning } from './warnings.ts';

export const SCHEMA_VERSION = 1;

export interface ServerResult {
  readonly label: string;
  readonly health: Health;
  readonly deployed: DeployedSize;
  readonly starts_ms: readonly number[];
  /** By the key of the metric; `null` where it was not measured. */
  readonly metrics: Readonly<Record<string, Summary | null>>;
}

export interface Flags {
  readonly events: number;
  readonly concurrency: number;
  readonly batch_size: number;
  readonly warmup: number;
  readonly rounds: number;
  readonly starts: number;
  readonly seed: number;
  readonly durability: string;
  readonly max_metadata_bytes: number | null;
  readonly corpus: string | null;
  readonly only: TargetName | null;
}

export interface Result {
  readonly schema_version: number;
  readonly mode: 'batch';
  readonly created_at: string;
  readonly flags: Flags;
  readonly driver: {
    readonly name: string;
    readonly model: 'closed' | 'open';
    readonly latency_resolution_us: number;
  };
  readonly order: readonly TargetName[];
  readonly placement: Placement;
  readonly environment: Environment;
  readonly payload: PoolFacts;
  readonly servers: Readonly<Partial<Record<TargetName, ServerResult>>>;
  /** Rust over TypeScript by the key of the metric; `null` where nothing can be said, absent with one server. */
  readonly ratios?: Readonly<Record<string, Ratio | null>>;
  readonly rounds: readonly Sample[];
  readonly warnings: readonly Warning[];
}

/** Everything a run has found out. */
export interface Findings {
  readonly options: Options;
  readonly plan: Plan;
  readonly driver: Driver;
  readonly environment: Environment;
  readonly payload: PoolFacts;
  readonly starts: ReadonlyMap<TargetName, readonly number[]>;
  readonly deployed: ReadonlyMap<TargetName, DeployedSize>;
  readonly samples: readonly Sample[];
  readonly stale: readonly TargetName[];
  readonly created: Date;
}

export function makeResult(findings: Findings, contenders: Contenders): Result {
  const { plan, options, environment, samples } = findings;
  const servers = Object.fromEntries(
    plan.targets.map((name) => [name, serverResult(name, findings, contenders)]),
  );
  return {
    schema_version: SCHEMA_VERSION,
    mode: 'batch',
    created_at: findings.created.toISOString(),
    flags: flagsOf(options),
    driver: { name: findings.driver.name, model: findings.driver.model, latency_resolution_us: 1 },
    order: plan.order,
    placement: plan.placement,
    environment,
    payload: findings.payload,
    servers,
    ...(plan.targets.length === 2 ? { ratios: ratios(findings) } : {}),
    rounds: samples,
    warnings: reasonsToDistrust({ plan, environment, samples, stale: findings.stale }),
  };
}

function serverResult(name: TargetName, findings: Findings, contenders: Contenders): ServerResult {
  const metrics = METRICS.map((metric) => {
    const values = valuesOf(metric.key, name, findings);
    return [metric.key, values === null ? null : summarise(values)] as const;
  });
  return {
    label: contenders.targets[name].label,
    health: findings.samples.find((sample) => sample.target === name)!.health,
    deployed: findings.deployed.get(name)!,
    starts_ms: findings.starts.get(name)!,
    metrics: Object.fromEntries(metrics),
  };
}

function ratios(findings: Findings): Record<string, Ratio | null> {
  return Object.fromEntries(
    METRICS.map((metric) => {
      const rs = valuesOf(metric.key, 'rs', findings);
      const ts = valuesOf(metric.key, 'ts', findings);
      return [metric.key, rs === null || ts === null ? null : ratioOf(rs, ts)];
    }),
  );
}

/** The metric's values for one server, in order; `null` when one of them was not measured. */
function valuesOf(key: string, name: TargetName, findings: Findings): number[] | null {
  const metric = METRICS.find((candidate) => candidate.key === key)!;
  const values = metric.values({
    starts_ms: findings.starts.get(name)!,
    samples: findings.samples.filter((sample) => sample.target === name),
    deployed: findings.deployed.get(name)!,
  });
  const measured = values.filter((value) => value !== null);
  return measured.length === values.length ? measured : null;
}

/** The corpus by its name alone: its path is the machine's, and its content has a digest in `payload`. */
function flagsOf(options: Options): Flags {
  return {
    events: options.events,
    concurrency: options.concurrency,
    batch_size: options.batchSize,
    warmup: options.warmup,
    rounds: options.rounds,
    starts: options.starts,
    seed: options.seed,
    durability: options.durability,
    max_metadata_bytes: options.maxMetadataBytes ?? null,
    corpus: options.corpus === undefined ? null : basename(options.corpus),
    only: options.only ?? null,
  };
}
