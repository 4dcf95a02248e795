/** The conditions of a run, and its warnings as lines. */
import { ADVICE } from '../analyse/warning.ts';
import { headlineOf, type Result } from '../result/result.ts';
import { formatDuration, formatValue, group } from './format.ts';
import { SHORT_NAMES, serversIn } from './names.ts';
import type { Table } from './rows.ts';

export const READING =
  'Medians, in parentheses minimum and maximum; ratios of neighbouring slices with their 95 % interval; fresh processes each round.';

/** Returns what is known of the machine, the versions, the settings and the commit. */
export function factsOf(result: Result): string[] {
  const { environment: machine, placement, created_at, took_s, flags } = result;
  const servers = serversIn(result).map((name) => ({ name, ...result.servers[name]!.health }));
  const [health] = servers;
  const sqlite = servers.map(({ name, sqlite_version }) => `${SHORT_NAMES[name]} ${sqlite_version}`);
  return [
    `Hardware: ${machine.cpu_model ?? 'unknown CPU'} (${machine.arch}), ${machine.cpu_cores} CPUs, ` +
      `${formatValue(machine.memory_bytes, 'bytes')} RAM`,
    `OS: ${machine.platform} ${machine.kernel}`,
    `Node.js: ${machine.node_version}`,
    `SQLite: ${sqlite.join(', ')}; journal_mode ${health?.journal_mode}, synchronous ${health?.synchronous}; ` +
      `files on ${machine.database_file_system ?? 'an unknown file system'}`,
    `Load before: ${machine.load_average.map((load) => load.toFixed(2)).join(', ')}`,
    `Placement: ${placement.reason}`,
    // An installed package has a version. Only a checkout has a commit and a compiler.
    ...(machine.commit === null
      ? [`Version: twin-ingest ${health?.version}`]
      : [`Rust: ${machine.rustc_version ?? 'unknown'}, release build`, `Commit: ${commitOf(result)}`]),
    `Taken: ${created_at}, in ${formatDuration(took_s)}, ${flags.join(' ') || 'without flags'}`,
  ];
}

/** Returns the parameters of the closed loop that is shown first; no rows without one. */
export function parametersOf(result: Result): Table {
  const { workload, driver, mode, payload } = headlineOf(result) ?? {};
  if (!workload || !driver || !payload) return { head: [], rows: [] };
  const { events, warmup_events, duration_s } = workload;
  const source = payload.source === 'corpus' ? 'corpus' : `generated, seed ${payload.seed}`;
  const values = {
    'Rounds (fresh processes of both servers)': `${workload.rounds}`,
    'Slices per server and round, A B B A': `${workload.slices}`,
    'Length of a slice': duration_s === null ? 'by events' : `${duration_s} s of the faster server`,
    'Events a round and server': events === null ? 'by rate' : group(events),
    Concurrency: `${workload.connections}`,
    'Batch size': `${workload.batch_size}`,
    'Warmup events': warmup_events === null ? 'four seconds at the rate' : group(warmup_events),
    Mode: `${mode}, sent by ${driver.name} ${driver.version}`,
    Durability: workload.durability,
    Payload:
      `${source}: ${group(payload.events)} events, ${group(Math.round(payload.event_bytes.mean))} B in the mean, ` +
      `sha256 ${payload.sha256.slice(0, 12)}`,
  };
  return { head: ['Parameter', 'Value'], rows: Object.entries(values), left: [0, 1] };
}

export function commitOf({ environment }: Pick<Result, 'environment'>): string {
  return `${environment.commit ?? 'unknown'}${environment.dirty === true ? ' with uncommitted changes' : ''}`;
}

/** Returns when, where and of which commit the figures are, as one sentence. */
export function takenText(result: Pick<Result, 'created_at' | 'environment'>): string {
  const { created_at, environment: machine } = result;
  const commit = commitOf(result).slice(0, 7);
  return `Measured on ${created_at.slice(0, 10)} at commit ${commit}, on ${machine.cpu_cores} cores of ${machine.cpu_model ?? 'an unknown CPU'}.`;
}

/** Returns one line for each kind of warning: what it limits, where it occurred, and what to do. */
export function warningLines(result: Result): string[] {
  const named = result.measurements.flatMap(({ name, warnings }) =>
    warnings.map(({ code, message }) => ({ code, message: `${name}: ${message}` })),
  );
  const kinds = [...Map.groupBy([...result.warnings, ...named], ({ code }) => code)];
  if (kinds.length === 0) return ['This run has no warnings.'];
  return kinds.map(([code, found]) => {
    const { limits, advice } = ADVICE[code];
    const seen = found.map(({ message }) => message.replace(/\.$/, '')).join('; ');
    // An installed package has no commit, and its `twin-ingest bench` does not have the flags of `bench:compare`.
    const end = result.environment.commit === null && advice.includes('--') ? '' : ` ${advice}`;
    return `${code} (limits ${limits ?? 'no claim'}): ${seen}.${end}`;
  });
}
