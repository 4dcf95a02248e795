/**
 * Finds the spellings of a model's name, from the one that was sent to the plainest (rule PRI-02).
 *
 * Pure. The rules are those of `contract/prices/names.json`, so a new provider needs no code.
 */
import { PRICE_NAMES } from './contract.ts';
import { lowerCase } from './text.ts';

/** `prices/names.json`. */
interface NamesFile {
  readonly ends: readonly RuleSpec[];
  readonly beginnings: readonly RuleSpec[];
  readonly modes: Readonly<Record<string, readonly string[]>>;
}

/** A rule: one of `suffix`, `prefix` and `within`. */
interface RuleSpec {
  readonly suffix?: string;
  readonly prefix?: string;
  readonly becomes?: string;
  readonly containing?: string;
  readonly within?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Returns the name that a rule makes of a name; `undefined` when it does not fit. */
type Rule = (name: string) => string | undefined;

interface Names {
  readonly ends: readonly Rule[];
  readonly beginnings: readonly Rule[];
  readonly modes: ReadonlyMap<string, readonly string[]>;
  readonly known: ReadonlySet<string>;
}

let parsed: Names | undefined;

/** Returns the file. It is parsed once, and only in threads that need it. */
function names(): Names {
  if (parsed === undefined) {
    const { ends, beginnings, modes } = JSON.parse(PRICE_NAMES) as NamesFile;
    const known = new Set(Object.values(modes).flat());
    const rules = { ends: ends.map(ruleOf), beginnings: beginnings.map(ruleOf) };
    parsed = { ...rules, modes: new Map(Object.entries(modes)), known };
  }
  return parsed;
}

/** Yields the spellings of a name in lower case: of each beginning, those of the end. */
export function* spellingsOf(name: string): Generator<string> {
  const { ends, beginnings } = names();
  for (const beginning of chainOf(lowerCase(name), beginnings)) yield* chainOf(beginning, ends);
}

/**
 * Returns the modes of a price for a service tier, of which the first that a model has counts; none is the usual price.
 * Returns `undefined` for an unknown tier.
 */
export function modesOf(serviceTier: string): readonly string[] | undefined {
  return names().modes.get(lowerCase(serviceTier));
}

/** Returns whether a price may have a mode of this name. */
export function isMode(name: string): boolean {
  return names().known.has(name);
}

/** Yields a name and what rules make of it, the plainest last. */
function* chainOf(name: string, rules: readonly Rule[]): Generator<string> {
  let next: string | undefined = name;
  while (next !== undefined) {
    const one: string = next;
    yield one;
    next = undefined;
    for (const rule of rules) {
      next = rule(one);
      if (next !== undefined) break;
    }
  }
}

function ruleOf({
  suffix,
  prefix,
  becomes = '',
  containing = '',
  within = '',
  from = '',
  to = '',
}: RuleSpec): Rule {
  if (suffix !== undefined) {
    const end = new RegExp(`(?!^)${patternOf(suffix)}$`);
    return (name) =>
      name.includes(containing) && end.test(name) ? name.replace(end, () => becomes) : undefined;
  }
  if (prefix !== undefined) {
    const beginning = new RegExp(`^${patternOf(prefix)}(?!$)`);
    return (name) =>
      name.includes(containing) && beginning.test(name) ? name.replace(beginning, () => becomes) : undefined;
  }
  return (name) => {
    const rest = name.startsWith(within) ? name.slice(within.length) : '';
    return rest.includes(from) ? within + rest.replaceAll(from, to) : undefined;
  };
}

/** Returns the source of a regular expression: `#` is a digit, and `*` as little text without `/` as fits. */
function patternOf(text: string): string {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return escaped.replaceAll('\\*', '[^/]*?').replaceAll('#', '[0-9]');
}
