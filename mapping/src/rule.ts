/** The rules of a mapping: which records they apply to, and the events that they make (contract/mapping.md). */
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { applies, type Conditions, compileConditions, isAlways } from './condition.ts';
import { type Field, fieldNames } from './field.ts';
import { compilePath, type Path, type Source, valueAt } from './path.ts';
import type { JsonObject, Place } from './problems.ts';
import {
  compileFields,
  compileValue,
  type FieldRule,
  type Value,
  type ValueScope,
  visitCounters,
  visitPaths,
} from './value.ts';

/** The subject of an event; two events with the same subject are duplicates (rule OTL-09). */
export interface Same {
  readonly kind: string;
  readonly from: readonly Path[];
  /** A number that names the subject instead. */
  readonly counter: Path | undefined;
}

/** An effect on waits (rule WAI-01). */
export interface State {
  readonly conditions: Conditions;
  readonly ends: 'nothing' | 'agent' | 'session';
  readonly begins: string | undefined;
  readonly isReminder: boolean;
}

/** A kind of interval, and the path of its id. */
export interface Interval {
  readonly kind: string;
  readonly id: Path;
}

/** The reports of other sources that mean the same as an imported event. */
export interface Reported {
  readonly by: readonly string[];
  readonly fields: readonly string[];
  /** Largest difference of the times; infinite for any. */
  readonly within_ms: number;
}

export interface Rule {
  readonly conditions: Conditions;
  readonly unlessSeen: string | undefined;
  readonly each: Path | undefined;
  /** Absent for a rule that makes no event. */
  readonly eventType: string | undefined;
  readonly fields: readonly FieldRule[];
  readonly same: Same | undefined;
  readonly states: readonly State[];
  readonly keep: readonly FieldRule[];
  readonly begin: Interval | undefined;
  readonly end: Interval | undefined;
  readonly group: Path | undefined;
  readonly reported: Reported | undefined;
  readonly metadata: readonly (readonly [name: string, value: Value])[];
}

/** The rules of a name: the record is known and counted, or it makes events. */
export type Entry = 'noise' | readonly Rule[];

/** What the rules of a file may have. */
export interface RuleScope extends ValueScope {
  readonly hasWaits: boolean;
  readonly fieldOf: (name: string) => Field | undefined;
}

export const NOISE = 'noise';
/** The name that stands for every other one. */
export const ANY_NAME = '*';

const REQUEST_WORDS = ['match', 'unless', 'event_type', 'fields', 'same'];
const FILE_WORDS = [
  ...['unless_seen', 'each', 'keep', 'begin', 'end', 'group', 'reported', 'metadata'],
  ...REQUEST_WORDS,
];

/** Compiles the rules by their names. `as` is resolved; a cycle is a problem. */
export function compileEntries(value: unknown, place: Place, scope: RuleScope): ReadonlyMap<string, Entry> {
  const object = place.map(value);
  const entries = new Map<string, Entry>();
  for (const [name, spec] of Object.entries(object)) {
    const [at, meant] = resolve(object, name, spec, place);
    entries.set(name, compileEntry(meant, at, scope, Object.keys(object)));
  }
  return entries;
}

/** Follows `as` to the rules that are meant, and their place. */
function resolve(names: JsonObject, name: string, spec: unknown, place: Place): [Place, unknown] {
  const seen = new Set([name]);
  let [at, meant] = [place.in(name), spec];
  while (typeof meant === 'object' && meant !== null && Object.hasOwn(meant, 'as')) {
    const { as } = at.object(meant, ['as']);
    const other = at.in('as').text(as);
    if (!Object.hasOwn(names, other)) at.in('as').problem(`there is no ${other}`);
    else if (seen.has(other)) at.in('as').problem(`${[...seen, other].join(' is ')}, a cycle`);
    else {
      seen.add(other);
      [at, meant] = [place.in(other), names[other]];
      continue;
    }
    return [at, NOISE];
  }
  return [at, meant];
}

function compileEntry(spec: unknown, place: Place, scope: RuleScope, names: readonly string[]): Entry {
  if (spec === NOISE) return NOISE;
  if (!Array.isArray(spec)) return [compileRule(spec, place, scope, names)];
  if (spec.length === 0) place.problem('is empty');
  const rules = spec.map((one, at) => compileRule(one, place.in(at), scope, names));
  // A rule behind one that always applies would have no effect, since a request has one event.
  const always = rules.findIndex(({ conditions }) => isAlways(conditions));
  if (!scope.hasState && always >= 0 && always < rules.length - 1)
    place.in(always + 1).problem('is behind a rule that always applies');
  return rules;
}

export function compileRule(spec: unknown, place: Place, outer: RuleScope, names: readonly string[]): Rule {
  const words = outer.hasState ? FILE_WORDS : outer.hasWaits ? [...REQUEST_WORDS, 'state'] : REQUEST_WORDS;
  const object = place.object(spec, words);
  const path = (name: string): Path | undefined =>
    object[name] === undefined ? undefined : compilePath(object[name], place.in(name), scope);
  const scope = { ...outer, hasEach: object.each !== undefined };
  const hasEvent = object.event_type !== undefined;
  if (!hasEvent && (!outer.hasState || (object.keep === undefined && object.begin === undefined)))
    place.problem('has no event_type');
  if (object.unless_seen !== undefined) place.in('unless_seen').word(object.unless_seen, names);
  const fields = (name: 'fields' | 'keep'): FieldRule[] =>
    object[name] === undefined
      ? []
      : compileFields(object[name], place.in(name), scope, outer.fieldOf, name === 'keep');
  return {
    conditions: compileConditions(object, place, scope),
    unlessSeen: object.unless_seen as string | undefined,
    each: object.each === undefined ? undefined : compilePath(object.each, place.in('each'), outer),
    eventType: hasEvent ? place.in('event_type').word(object.event_type, VOCABULARY.event_types) : undefined,
    fields: fields('fields'),
    same: object.same === undefined ? undefined : compileSame(object.same, place.in('same'), scope),
    states: compileStates(object.state, place.in('state'), scope),
    keep: fields('keep'),
    begin: compileInterval(object.begin, place.in('begin'), scope),
    end: compileInterval(object.end, place.in('end'), scope),
    group: path('group'),
    reported: compileReported(object.reported, place.in('reported')),
    metadata: Object.entries(
      object.metadata === undefined ? {} : place.in('metadata').map(object.metadata),
    ).map(([name, value]) => [name, compileValue(value, place.in('metadata').in(name), scope, undefined)]),
  };
}

function compileSame(value: unknown, place: Place, scope: RuleScope): Same {
  const object = place.object(value, ['kind', 'from', 'counter']);
  if ((object.from === undefined) === (object.counter === undefined)) place.problem('needs from or counter');
  if (object.counter !== undefined && !scope.hasState)
    place.in('counter').problem('only the reader of transcripts keeps counters');
  const from = object.from === undefined ? [] : place.in('from').oneOrMore(object.from);
  return {
    kind: place.in('kind').text(object.kind),
    from: from.map((one) => compilePath(one, place.in('from'), scope)),
    counter:
      object.counter === undefined ? undefined : compilePath(object.counter, place.in('counter'), scope),
  };
}

function compileStates(value: unknown, place: Place, scope: RuleScope): readonly State[] {
  if (value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((one, index) => {
    const at = Array.isArray(value) ? place.in(index) : place;
    const object = at.object(one, ['match', 'unless', 'ends', 'begins', 'reminds']);
    const { ends, begins, reminds } = object;
    if (ends === undefined && begins === undefined) at.problem('neither ends nor begins a wait');
    if (reminds !== undefined && (reminds !== true || begins === undefined))
      at.in('reminds').problem('is true, and needs begins');
    const conditions = compileConditions(object, at, scope);
    if (isAlways(conditions) && index < list.length - 1) at.problem('hides those behind it');
    return {
      conditions,
      ends:
        ends === undefined ? 'nothing' : (at.in('ends').word(ends, ['agent', 'session']) as State['ends']),
      begins: begins === undefined ? undefined : at.in('begins').word(begins, VOCABULARY.waiting_reasons),
      isReminder: reminds === true,
    };
  });
}

function compileInterval(value: unknown, place: Place, scope: RuleScope): Interval | undefined {
  if (value === undefined) return undefined;
  const entries = Object.entries(place.map(value));
  const [kind, path] = entries[0] ?? ['', ''];
  if (entries.length !== 1) place.problem('needs one kind with one path');
  return { kind, id: compilePath(path, place.in(kind), scope) };
}

function compileReported(value: unknown, place: Place): Reported | undefined {
  if (value === undefined) return undefined;
  const object = place.object(value, ['by', 'fields', 'within_ms']);
  const words = (name: 'by' | 'fields', known: readonly string[]): readonly string[] =>
    place
      .in(name)
      .list(object[name] ?? [])
      .map((one, at) => place.in(name).in(at).word(one, known));
  const within = object.within_ms ?? Number.POSITIVE_INFINITY;
  const isTime = typeof within === 'number' && within >= 0;
  if (!isTime) place.in('within_ms').problem('is no number of milliseconds');
  return {
    by: words('by', VOCABULARY.sources),
    fields: words('fields', fieldNames()),
    within_ms: isTime ? within : 0,
  };
}

/** Returns the first rule that applies; `noise` for a known name without one, `undefined` for an unknown name. */
export function firstRule(
  entries: ReadonlyMap<string, Entry>,
  name: string,
  source: Source,
): Rule | typeof NOISE | undefined {
  const find = (entry: Entry | undefined): Rule | typeof NOISE | undefined =>
    entry === undefined || entry === NOISE
      ? entry
      : entry.find(({ conditions }) => applies(conditions, source));
  const [named, any] = [entries.get(name), entries.get(ANY_NAME)];
  return find(named) ?? find(any) ?? (named === undefined && any === undefined ? undefined : NOISE);
}

/** Returns the first effect on waits that applies. */
export function firstState({ states }: Rule, source: Source): State | undefined {
  return states.find(({ conditions }) => applies(conditions, source));
}

/** Returns the text that names the subject; `undefined` without one. */
export function subjectOf({ from }: Same, source: Source): string | undefined {
  for (const path of from) {
    const value = valueAt(source, path);
    if (value !== undefined) return typeof value === 'string' && value !== '' ? value : undefined;
  }
  return undefined;
}

/** Returns the paths of the counters of a rule, each once. */
export function countersOf({ fields, metadata, same }: Rule): readonly Path[] {
  const paths = new Map<string, Path>();
  const add = (path: Path): void => void paths.set(path.text, path);
  for (const { value } of fields) visitCounters(value, add);
  for (const [, value] of metadata) visitCounters(value, add);
  if (same?.counter !== undefined) add(same.counter);
  return [...paths.values()];
}

/** Calls back with every path of a rule, for sources that must know them before. */
export function visitRulePaths(rule: Rule, visit: (path: Path) => void): void {
  const { conditions, states, fields, same, keep, metadata } = rule;
  for (const { match, unless } of [conditions, ...states.map((state) => state.conditions)])
    for (const { path } of [...match, ...unless]) visit(path);
  for (const { value } of [...fields, ...keep]) visitPaths(value, visit);
  for (const path of same?.from ?? []) visit(path);
  for (const [, value] of metadata) visitPaths(value, visit);
}
