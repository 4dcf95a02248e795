/**
 * Parses and checks conditions on the result from the command line: `rs.p99_ms<50`, `ratio.throughput_events_per_s>=1`.
 *
 * Invariants: a condition on a figure that was not measured does not hold. A condition that cannot be parsed is
 * rejected before anything runs.
 */
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { DeployedSize } from '../observe/size.ts';
import type { Measurement, Result, ThresholdOutcome } from '../result/result.ts';

type Subject = TargetName | 'ratio';
type Operator = '<' | '<=' | '>' | '>=';

export interface Threshold {
  /** Text of the condition as given, trimmed. */
  readonly condition: string;
  /** Server that the condition is about; `ratio` means Rust over TypeScript. */
  readonly subject: Subject;
  /** Full key of the metric, also when the condition leaves out its prefix. */
  readonly metric: string;
  readonly operator: Operator;
  readonly bound: number;
}

const SUBJECTS: readonly string[] = [...TARGET_NAMES, 'ratio'];
const SHAPE = /^(\w+)\.(\w+)\s*(<=|>=|<|>)\s*([^<>=\s]+)$/;
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
/** Prefix of a metric's key that a condition may leave out. */
const PREFIX = 'latency_';
/** Name that an outcome uses instead of a measurement's name: sizes belong to a server, not to a measurement. */
const DEPLOYED = 'deployed';
const SIZES: Readonly<Record<string, keyof DeployedSize>> = {
  deployed_bytes: 'own_bytes',
  deployed_with_runtime_bytes: 'with_runtime_bytes',
};

/** Returns the parsed condition, or a sentence that states the problem. `keys` are the keys of all metrics. */
export function parseThreshold(text: string, keys: readonly string[]): Threshold | string {
  const condition = text.trim();
  const parts = SHAPE.exec(condition);
  if (parts === null) {
    return `"${text}" is no condition; one reads SERVER.METRIC<NUMBER with <, <=, > or >=, such as rs.p99_ms<50`;
  }
  const [, subject, name, operator, number] = parts as unknown as [string, string, string, Operator, string];
  if (!isSubject(subject)) return `"${text}" is about ${subject}; it must be one of ${SUBJECTS.join(', ')}`;
  const metric = keys.find((key) => key === name) ?? keys.find((key) => key === `${PREFIX}${name}`);
  if (metric === undefined) return `"${text}" names no metric; there are ${keys.join(', ')}`;
  const bound = NUMBER.test(number) ? Number(number) : Number.NaN;
  if (!Number.isFinite(bound)) return `"${text}" compares with ${number}, which is no number`;
  return { condition, subject, metric, operator, bound };
}

/**
 * Checks every condition against all measurements. A measurement that cannot have the metric, such as the delivery lag
 * without streams, has `null` and does not count. When all measurements have `null`, the metric was not measured and
 * the condition does not hold.
 */
export function checkThresholds(thresholds: readonly Threshold[], result: Result): ThresholdOutcome[] {
  return thresholds.map((threshold) => {
    const found = valuesOf(threshold, result).flatMap(({ measurement, value }) =>
      value === undefined ? [] : [{ measurement, value, holds: holds(threshold, value) }],
    );
    const measured = found.filter(({ value }) => value !== null);
    return { condition: threshold.condition, found: measured.length > 0 ? measured : found };
  });
}

/** Returns whether at least one measurement has the metric, and the condition holds in all that have it. */
export function outcomeHolds(outcome: ThresholdOutcome): boolean {
  return outcome.found.length > 0 && outcome.found.every((found) => found.holds);
}

function isSubject(text: string): text is Subject {
  return SUBJECTS.includes(text);
}

function holds({ operator, bound }: Threshold, value: number | null): boolean {
  if (value === null) return false;
  switch (operator) {
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
  }
}

interface Found {
  readonly measurement: string;
  /** `undefined`: the measurement has no such metric. `null`: the metric was not measured. */
  readonly value: number | null | undefined;
}

function valuesOf(threshold: Threshold, result: Result): Found[] {
  const size = SIZES[threshold.metric];
  if (size !== undefined) return [{ measurement: DEPLOYED, value: sizeIn(result, threshold.subject, size) }];
  return result.measurements.map((measurement) => ({
    measurement: measurement.name,
    value: valueIn(measurement, threshold),
  }));
}

function valueIn(measurement: Measurement, { subject, metric }: Threshold): number | null | undefined {
  if (subject === 'ratio') {
    const comparison = measurement.comparison?.[metric];
    return comparison === null ? null : comparison?.ratio;
  }
  const summary = measurement.servers[subject]?.metrics[metric];
  return summary === null ? null : summary?.median;
}

function sizeIn(result: Result, subject: Subject, size: keyof DeployedSize): number | undefined {
  if (subject !== 'ratio') return result.servers[subject]?.deployed[size];
  const { rs, ts } = result.servers;
  return rs === undefined || ts === undefined ? undefined : rs.deployed[size] / ts.deployed[size];
}
