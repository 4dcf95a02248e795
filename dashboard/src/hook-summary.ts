/**
 * Writes the line that describes a hook: the template of `contract/agents/NAME/summaries.json`, filled from the payload.
 *
 * Invariant: a hook with templates always gets a line, since its last template needs nothing from the payload.
 */
import { agentText, FOR_OTHERS, type Summaries } from './agent-texts.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Largest number of members written for an object without a known path. */
const MOST_MEMBERS = 6;
/** Longest text from one value; a line shows less. */
const MOST = 400;

/** Returns the line of a hook. `name` is the hook's own name; the payload describes an unknown hook. */
export function hookSummary(agentType: string, name: string | null, payload: Payload): string {
  const summaries = summariesOf(agentType);
  const { hooks, known, other } = summaries;
  const templates = name !== null && Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  for (const template of templates ?? []) {
    const line = filled(template, payload, summaries);
    if (line !== null) return line;
  }
  return membersOf(payload, known) ?? other[0]!;
}

/** Returns the templates of an agent, or those for agents without their own. */
export function summariesOf(agentType: string): Summaries {
  return agentText(agentType)?.summaries ?? FOR_OTHERS;
}

/** Returns the filled template; `null` unless every path of the template has a value. */
function filled(template: string, payload: Payload, summaries: Summaries): string | null {
  let isWhole = true;
  // A path below the agent's folder is written relative to it.
  const folder = `${String(payload.cwd)}/`;
  const line = template.replace(/\{([^}]+)\}/g, (_, paths: string) => {
    const text = firstOf(payload, paths.split('|'), summaries);
    if (text === null) isWhole = false;
    return text?.startsWith(folder) ? text.slice(folder.length) : (text ?? '');
  });
  return isWhole ? line : null;
}

function firstOf(payload: unknown, paths: readonly string[], summaries: Summaries): string | null {
  for (const path of paths) {
    const text = textOf(valueAt(payload, path.split('.')), summaries);
    if (text !== null) return text;
  }
  return null;
}

/** Returns the value at a path; for a list, the values of its items. */
function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => valueAt(item, [step, ...rest]));
  return isObject(value) && Object.hasOwn(value, step) ? valueAt(value[step], rest) : undefined;
}

/** Returns the text of a value; `null` for an empty value. */
export function textOf(value: unknown, summaries: Summaries): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim().slice(0, MOST);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) {
    const texts = value.slice(0, MOST_MEMBERS).flatMap((item) => textOf(item, summaries) ?? []);
    return texts.length === 0 ? null : texts.join(', ');
  }
  if (!isObject(value)) return null;
  return firstOf(value, summaries.object_paths, summaries) ?? membersOf(value, []);
}

/** Formats `arg: text, n: 1, data { x }`; for a nested object only its keys, which ends the recursion. */
export function membersOf(
  value: Readonly<Record<string, unknown>>,
  without: readonly string[],
): string | null {
  const parts = Object.entries(value)
    .filter(([key]) => !without.includes(key))
    .slice(0, MOST_MEMBERS)
    .map(([key, member]) => {
      if (Array.isArray(member)) return `${key} (${member.length})`;
      if (isObject(member)) return `${key} { ${Object.keys(member).slice(0, MOST_MEMBERS).join(', ')} }`;
      return `${key}: ${String(member)}`;
    });
  return parts.length === 0 ? null : parts.join(', ').slice(0, MOST);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
