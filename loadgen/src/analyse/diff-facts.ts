/**
 * The conditions of two results side by side, with differences marked.
 *
 * Runs with other loads cannot be compared whatever their machine, so the loads of each measurement are compared, too.
 */
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Measurement, measurementNamed, type Result } from '../result/result.ts';

export interface Fact {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly differs: boolean;
}

interface Source {
  readonly name: string;
  /** Another value is another machine. */
  readonly machine?: true;
  of(result: Result): unknown;
}

const SOURCES: readonly Source[] = [
  { name: 'commit', of: ({ environment: { commit, dirty } }) => (dirty ? `${commit} with changes` : commit) },
  { name: 'date', of: (result) => result.created_at },
  { name: 'CPU', machine: true, of: (result) => result.environment.cpu_model },
  { name: 'cores', machine: true, of: (result) => result.environment.cpu_cores },
  { name: 'memory (bytes)', machine: true, of: (result) => result.environment.memory_bytes },
  {
    name: 'system',
    machine: true,
    of: ({ environment }) => `${environment.platform} ${environment.arch}`,
  },
  { name: 'kernel', of: (result) => result.environment.kernel },
  { name: 'file system', of: (result) => result.environment.database_file_system },
  { name: 'Node', of: (result) => result.environment.node_version },
  { name: 'rustc', of: (result) => result.environment.rustc_version },
  { name: 'SQLite of Rust', of: (result) => result.servers.rs?.health.sqlite_version },
  { name: 'SQLite of TypeScript', of: (result) => result.servers.ts?.health.sqlite_version },
  { name: 'pinned', of: (result) => result.placement.pinned },
  { name: 'warnings', of: warningsOf },
];

export function factsOf(a: Result, b: Result): Fact[] {
  return SOURCES.map((source) => {
    const [left, right] = [shown(source.of(a)), shown(source.of(b))];
    return { name: source.name, a: left, b: right, differs: left !== right };
  });
}

function warningsOf(result: Result): number {
  return result.measurements.reduce((sum, { warnings }) => sum + warnings.length, result.warnings.length);
}

export function sameMachine(facts: readonly Fact[]): boolean {
  const machine = new Set(SOURCES.filter((source) => source.machine).map((source) => source.name));
  return !facts.some((fact) => fact.differs && machine.has(fact.name));
}

/** What only one of the results has, and what was not measured under the same load, one sentence each. */
export function differences(a: Result, b: Result): string[] {
  return [
    ...TARGET_NAMES.flatMap((name) => settingDifferences(name, a, b)),
    ...a.measurements.flatMap((left) => {
      const right = measurementNamed(b, left.name);
      return right === undefined ? [`${left.name} is in A alone.`] : loadDifferences(left, right);
    }),
    ...b.measurements
      .filter((right) => measurementNamed(a, right.name) === undefined)
      .map((right) => `${right.name} is in B alone.`),
  ];
}

/** Of one server: pragmas and compile options of SQLite that it did not run with in both. */
function settingDifferences(name: TargetName, a: Result, b: Result): string[] {
  const [left, right] = [a.servers[name]?.health, b.servers[name]?.health];
  if (left === undefined || right === undefined) return [];
  const pragmas = [...new Set([...Object.keys(left.pragmas), ...Object.keys(right.pragmas)])]
    .filter((pragma) => shown(left.pragmas[pragma]) !== shown(right.pragmas[pragma]))
    .map(
      (pragma) =>
        `${name} had another pragma: ${pragma} ${shown(left.pragmas[pragma])} in A, ${shown(right.pragmas[pragma])} in B.`,
    );
  const only = (one: readonly string[], other: readonly string[], where: string) =>
    one
      .filter((option) => !other.includes(option))
      .map((option) => `${name} had SQLite compiled with ${option} in ${where} alone.`);
  return [
    ...pragmas,
    ...only(left.compile_options, right.compile_options, 'A'),
    ...only(right.compile_options, left.compile_options, 'B'),
  ];
}

function loadDifferences(left: Measurement, right: Measurement): string[] {
  const [before, after] = [loadOf(left), loadOf(right)];
  const different = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => shown(before[name]) !== shown(after[name]),
  );
  return different.map(
    (name) =>
      `${left.name} had another load: ${name} ${shown(before[name])} in A, ${shown(after[name])} in B.`,
  );
}

/** More rounds are no other load; what a share of its throughput came to is a result of the run. */
function loadOf({ workload, driver, payload }: Measurement): Readonly<Record<string, unknown>> {
  const { rounds: _, rate, ...load } = workload ?? { rounds: null, rate: null };
  return {
    ...load,
    rate: rate?.kind === 'share' ? `${rate.share} of the throughput` : rate?.events_per_s,
    driver: driver?.name,
    latency_from: driver?.latency_from,
    payload_sha256: payload?.sha256,
  };
}

function shown(value: unknown): string {
  return value === null || value === undefined ? 'unknown' : String(value);
}
