/**
 * Edits the member `env` of Claude Code's settings, so that it sends its logs as OTLP. They have the tokens and the
 * cost, which hooks lack.
 *
 * The variables apply to logs alone. The user's metrics and traces keep their collector, and Claude Code exports
 * nothing that the server would drop. The format is JSON, since both servers accept it without a schema and it is
 * readable in a capture.
 *
 * Invariant: a variable of the user is never changed. Ours are recognised by the whole set of variables.
 */
import { type Change, LOGS_PATH, type Place, type TextEdit } from './agent.ts';
import { appended, without } from './json-edit.ts';
import { readMember } from './json-object.ts';

const SWITCH = 'CLAUDE_CODE_ENABLE_TELEMETRY';

/** Returns the variables in the order of writing. */
export function telemetryEnv(origin: string): readonly (readonly [name: string, value: string])[] {
  return [
    ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', `${origin}${LOGS_PATH}`],
    ['OTEL_EXPORTER_OTLP_LOGS_PROTOCOL', 'http/json'],
    ['OTEL_LOGS_EXPORTER', 'otlp'],
    [SWITCH, '1'],
  ];
}

/**
 * Adds the variables. `origins` are the servers of the hooks in the same file; variables for other servers belong to
 * the user.
 */
export function withTelemetry(
  text: string,
  origin: string,
  origins: readonly string[],
  environment: Place['env'],
): TextEdit {
  const wanted = telemetryEnv(origin);
  const present = envOf(text);
  if (wanted.every(([name, value]) => present[name] === value)) return { text, changes: [] };
  const { text: cleared, changes } = withoutTelemetry(text, origins);
  const left = envOf(cleared);
  const conflicts = wanted.flatMap(([name, value]) => conflictOf(name, value, left, environment));
  // The variables work only as a set, so the edit writes all or none.
  if (conflicts.length > 0) return { text: cleared, changes: [...changes, ...conflicts] };
  const added: Change[] = [];
  let edited = cleared;
  if (readMember(edited, 'env') === undefined) edited = appended(edited, [], {}, 'env');
  for (const [name, value] of wanted) {
    if (left[name] !== undefined) continue;
    edited = appended(edited, ['env'], value, name);
    added.push({ kind: 'add', name, value });
  }
  return { text: edited, changes: [...changes, ...added] };
}

/** Removes the variables written for these servers. */
export function withoutTelemetry(text: string, origins: readonly string[]): TextEdit {
  const entries = Object.entries(envOf(text));
  for (const origin of origins) {
    const wanted = telemetryEnv(origin);
    const start = entries.findIndex(([name, value]) => name === wanted[0]![0] && value === wanted[0]![1]);
    const row = wanted.filter(([name, value], i) => {
      const [present, set] = entries[start + i] ?? [];
      return present === name && set === value;
    });
    // The switch may be the user's own. It then precedes the other variables.
    const isOwn =
      start >= 0 &&
      row.length >= wanted.length - 1 &&
      wanted.slice(0, -1).every((pair) => row.includes(pair));
    if (!isOwn) continue;
    let edited = text;
    for (const [name] of row) edited = without(edited, ['env', name]);
    if (row.length === entries.length) edited = without(edited, ['env']);
    return { text: edited, changes: row.map(([name, value]) => ({ kind: 'remove', name, value })) };
  }
  return { text, changes: [] };
}

export function envOf(text: string): Readonly<Record<string, unknown>> {
  return readMember(text, 'env') ?? {};
}

/**
 * Finds a conflict with a variable of the user. The switch may already be on. The other variables must be unset,
 * because they direct the user's own logs.
 */
function conflictOf(
  name: string,
  value: string,
  present: Readonly<Record<string, unknown>>,
  environment: Place['env'],
): Change[] {
  const found = present[name];
  if (found !== undefined && !(name === SWITCH && (found === value || found === 'true')))
    return [{ kind: 'conflict', name, value: String(found) }];
  const outside = environment[name];
  if (found === undefined && outside !== undefined && outside !== '' && outside !== value)
    return [{ kind: 'conflict', name, value: `${outside} (in the environment)` }];
  return [];
}
