/** Lists the paths that a mapping reads, each with the records whose rules read it. */
import { pathsIn } from '@twin-ingest/testkit/hostile/json.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { type Entries, type Fields, type Rule, rulesOf } from '../mapped-value.ts';

/** A record: its name, and the rule that should apply to it. */
export interface Named {
  readonly name: string;
  readonly rule: Rule | undefined;
  /** Paths of fields without which the record is still an event of its rule. */
  readonly free: readonly string[];
}

/** A path, and the records that it matters to. */
export interface Reading {
  readonly path: string;
  readonly records: readonly Named[];
}

/** Paths that no mapping reads. */
const UNREAD = ['__proto__', 'constructor', 'toString', 'unheard', 'unheard/a'];
const ODD_NAMES = ['Unheard', '__proto__', 'constructor', '*', ''];
/** Fields without which a record may be no event. */
const NEEDED = ['session_id', 'agent_type'];

/** Returns the readings of a mapping without its entries, and of the entries. */
export function readingsOf(common: { readonly fields: Fields }, entries: Entries): Reading[] {
  const names = Object.keys(entries);
  const of = (name: string, rule?: Rule): Named => ({ name, rule, free: freeOf(common.fields, rule) });
  const named = names.flatMap((name) => (rulesOf(entries, name) ?? []).map((rule) => of(name, rule)));
  const noise = names.filter((name) => rulesOf(entries, name)?.length === 0);
  const all = [...named, ...[...ODD_NAMES, ...noise.slice(0, 2)].map((name) => of(name))];
  const own = [...new Set(named.flatMap(({ rule }) => pathsIn(rule)))];
  return [
    ...[...pathsIn(common), ...UNREAD].map((path) => ({ path, records: all })),
    ...own.map((path) => ({ path, records: named.filter(({ rule }) => pathsIn(rule).includes(path)) })),
  ];
}

function freeOf(common: Fields, rule: Rule | undefined): string[] {
  const paths = (needed: boolean): string[] => {
    const own = Object.entries({ ...common, ...rule?.fields });
    return pathsIn({
      fields: Object.fromEntries(own.filter(([field]) => NEEDED.includes(field) === needed)),
    });
  };
  const kept = [...paths(true), ...pathsIn({ match: rule?.match ?? {}, unless: rule?.unless ?? {} })];
  return paths(false).filter((path) => !kept.includes(path) && !path.startsWith('$'));
}

/** Returns members with which a rule mostly applies. */
export function textsOf(random: Random, rule: Rule | undefined): Record<string, string> {
  const conditions = Object.entries(rule?.match ?? {}).filter(() => random.chance(0.9));
  return Object.fromEntries(conditions.map(([path, texts]) => [path, random.pick([texts].flat())]));
}
