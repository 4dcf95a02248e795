/**
 * Compiles the mappings of agents: `contract/agents.json` (contract/mapping.md).
 *
 * Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value is refused with its place.
 */

import { isAlways } from './condition.ts';
import { type Field, fieldOf } from './field.ts';
import { compilePath, type Path } from './path.ts';
import { isObject, type JsonObject, MappingError, Place } from './problems.ts';
import {
  ANY_NAME,
  compileEntries,
  compileRule,
  type Entry,
  NOISE,
  type Rule,
  type RuleScope,
} from './rule.ts';
import { compileFields, type FieldRule } from './value.ts';

/** The mapping of hooks: each payload is one event. */
export interface HookMapping {
  readonly agentType: string;
  readonly name: readonly Path[];
  readonly prefix: string;
  /** Keys at the start of the summary of a large payload (rule HOK-03). */
  readonly summary: readonly string[];
  readonly fields: readonly FieldRule[];
  readonly records: ReadonlyMap<string, Entry>;
}

/** The mapping of telemetry: a record is at most one event. */
export interface TelemetryMapping {
  readonly agentType: string;
  readonly scopes: readonly string[];
  readonly services: readonly string[];
  readonly attributePrefix: string | undefined;
  readonly name: readonly Path[];
  readonly prefix: string;
  /** Values that tell a record from others. */
  readonly id: readonly Path[];
  /** Attributes that metadata omits. */
  readonly omit: ReadonlySet<string>;
  readonly fields: readonly FieldRule[];
  readonly logs: ReadonlyMap<string, Entry>;
  readonly spans: ReadonlyMap<string, Entry>;
}

export interface Folder {
  readonly variable: string;
  readonly home: string;
  readonly below: string;
}

/** The mapping of transcripts: a line makes any number of events. */
export interface TranscriptMapping {
  readonly agentType: string;
  readonly folder: Folder;
  readonly name: readonly Path[];
  readonly time: Path;
  readonly id: Path | undefined;
  /** Whether a copied line keeps its id in another session. */
  readonly copiesKeepId: boolean;
  readonly keep: readonly FieldRule[];
  readonly first: Rule;
  readonly last: Rule;
  readonly records: ReadonlyMap<string, Entry>;
}

/** An agent with the mappings that it has. */
export interface Agent {
  /** The name of its folder. */
  readonly name: string;
  /** Its name for people. */
  readonly label: string;
  readonly agentType: string;
  readonly hooks: HookMapping | undefined;
  readonly telemetry: TelemetryMapping | undefined;
  readonly transcripts: TranscriptMapping | undefined;
}

const HOOK_SCOPE: RuleScope = {
  ids: [],
  hasParent: false,
  hasEach: false,
  hasState: false,
  hasWaits: true,
  fieldOf: withoutAgentType,
};
const IDS = ['$trace_id', '$span_id', '$parent_span_id'];
const LOG_SCOPE: RuleScope = { ...HOOK_SCOPE, ids: IDS, hasWaits: false };
const SPAN_SCOPE: RuleScope = { ...LOG_SCOPE, hasParent: true };
const TRANSCRIPT_SCOPE: RuleScope = { ...HOOK_SCOPE, hasState: true, hasWaits: false };

/** The `agent_type` of an event is that of its agent, except in the fields of telemetry of several agents. */
function withoutAgentType(name: string): Field | undefined {
  return name === 'agent_type' ? undefined : fieldOf(name);
}

/** Compiles the agents of `contract/agents.json`, in their order. Throws a `MappingError` with every problem. */
export function compileAgents(json: unknown): Agent[] {
  const problems: string[] = [];
  const agents = Object.entries(new Place('agents: ', problems).map(json)).map(([name, spec]) =>
    compileAgent(name, spec, problems),
  );
  if (problems.length > 0) throw new MappingError(problems);
  return agents;
}

function compileAgent(name: string, spec: unknown, problems: string[]): Agent {
  const file = (stem: string): Place => new Place(`agents/${name}/${stem}.json: `, problems);
  const object = file('agent').object(spec, ['label', 'agent_type', 'hooks', 'telemetry', 'transcripts']);
  const agentType = file('agent').in('agent_type').text(object.agent_type);
  const compiled = <T>(
    stem: string,
    compile: (spec: unknown, agentType: string, place: Place) => T,
  ): T | undefined => (object[stem] === undefined ? undefined : compile(object[stem], agentType, file(stem)));
  return {
    name,
    label: file('agent').in('label').text(object.label),
    agentType,
    hooks: compiled('hooks', compileHooks),
    telemetry: compiled('telemetry', compileTelemetry),
    transcripts: compiled('transcripts', compileTranscripts),
  };
}

const COMMON = ['$schema', 'about', 'source', 'name'];

function compileHooks(spec: unknown, agentType: string, place: Place): HookMapping {
  const object = place.object(spec, [...COMMON, 'summary', 'fields', 'records']);
  place.in('source').word(object.source, ['hook']);
  const fields = fieldsOf(object, place, HOOK_SCOPE);
  // The server stores every payload, so there are a session and a rule for each.
  if (!fields.some(({ field, default: otherwise }) => field.name === 'session_id' && otherwise !== undefined))
    place.in('fields').problem('session_id needs a default');
  const records = compileEntries(object.records, place.in('records'), HOOK_SCOPE);
  for (const [name, entry] of records)
    if (entry === NOISE) place.in('records').in(name).problem('every payload is an event');
  const others = records.get(ANY_NAME) ?? [];
  if (others === NOISE || !others.some(({ conditions }) => isAlways(conditions)))
    place.in('records').problem(`${ANY_NAME} needs a rule that always applies`);
  // Servers recognise such a hook by its effect on waits (rule HOK-04).
  for (const [name, entry] of records)
    if (entry !== NOISE && entry.some(({ same, states }) => same !== undefined && states.length === 0))
      place.in('records').in(name).problem('same needs a state');
  return {
    agentType,
    ...nameOf(object, place, HOOK_SCOPE),
    summary: summaryOf(object, place),
    fields,
    records,
  };
}

/** Checks the keys of summaries. Servers write them without escaping. */
function summaryOf(object: JsonObject, place: Place): readonly string[] {
  const keys = place.in('summary').texts(object.summary);
  for (const [at, key] of keys.entries())
    if (!/^\w+$/.test(key) || keys.indexOf(key) !== at)
      place.in('summary').problem(`${JSON.stringify(key)} is no plain key, or is there twice`);
  const name = isObject(object.name) && Array.isArray(object.name.from) ? object.name.from[0] : undefined;
  // The name comes first, so that every limit has room for it.
  if (keys[0] !== name) place.in('summary').problem(`does not begin with ${String(name)}`);
  return keys;
}

function compileTelemetry(spec: unknown, agentType: string, place: Place): TelemetryMapping {
  const words = ['known_by', 'id', 'omit', 'fields', 'logs', 'spans'];
  const object = place.object(spec, [...COMMON, ...words]);
  place.in('source').word(object.source, ['otel']);
  // The type of a whole file's records may differ, that of a rule's records may not.
  const fields = fieldsOf(object, place, { ...LOG_SCOPE, fieldOf });
  if (!fields.some(({ field }) => field.name === 'session_id'))
    place.in('fields').problem('session_id is missing');
  const known = place.in('known_by').object(object.known_by, ['scopes', 'services', 'attribute_prefix']);
  if (Object.keys(known).length === 0) place.in('known_by').problem('is empty');
  const names = (name: string): readonly string[] =>
    known[name] === undefined ? [] : place.in('known_by').in(name).texts(known[name]);
  return {
    agentType,
    scopes: names('scopes'),
    services: names('services'),
    attributePrefix:
      known.attribute_prefix === undefined
        ? undefined
        : place.in('known_by').in('attribute_prefix').text(known.attribute_prefix),
    ...nameOf(object, place, LOG_SCOPE),
    id: idOf(object.id, place.in('id')),
    omit: new Set(place.in('omit').texts(object.omit)),
    fields,
    logs: compileEntries(object.logs, place.in('logs'), LOG_SCOPE),
    spans: compileEntries(object.spans, place.in('spans'), SPAN_SCOPE),
  };
}

/** Compiles the values that tell a record from others. The JSON text of each is hashed as it came. */
function idOf(value: unknown, place: Place): readonly Path[] {
  return place.texts(value).map((text, at) => {
    const path = compilePath(text, place.in(at), LOG_SCOPE);
    if (path.rest.length > 0) place.in(at).problem(`${text} is no whole attribute`);
    return path;
  });
}

function compileTranscripts(spec: unknown, agentType: string, place: Place): TranscriptMapping {
  const words = ['folder', 'time', 'id', 'copies_keep_id', 'keep', 'first', 'last', 'records'];
  const object = place.object(spec, [...COMMON, ...words]);
  place.in('source').word(object.source, ['import']);
  const folder = place.in('folder').object(object.folder, ['variable', 'home', 'below']);
  const text = (name: string): string => place.in('folder').in(name).text(folder[name]);
  const ids = object.id === undefined ? [] : place.in('id').texts(object.id);
  if (ids.length > 1) place.in('id').problem('has more than one path');
  if (object.copies_keep_id !== undefined && (object.copies_keep_id !== true || ids.length === 0))
    place.in('copies_keep_id').problem('is true, and needs id');
  const join = place.in('name').object(object.name, ['join']);
  const records = compileEntries(object.records, place.in('records'), TRANSCRIPT_SCOPE);
  const names = [...records.keys()];
  const keep =
    object.keep === undefined
      ? []
      : compileFields(object.keep, place.in('keep'), TRANSCRIPT_SCOPE, withoutAgentType, true);
  const kept = [...records.values()].flatMap((entry) =>
    entry === NOISE ? [] : entry.flatMap((rule) => rule.keep),
  );
  if (![...keep, ...kept].some(({ field }) => field.name === 'session_id'))
    place.problem('no rule keeps session_id');
  return {
    agentType,
    folder: { variable: text('variable'), home: text('home'), below: text('below') },
    name: place
      .in('name')
      .in('join')
      .texts(join.join)
      .map((one, at) => compilePath(one, place.in('name').in(at), TRANSCRIPT_SCOPE)),
    time: compilePath(object.time, place.in('time'), TRANSCRIPT_SCOPE),
    id: ids[0] === undefined ? undefined : compilePath(ids[0], place.in('id'), TRANSCRIPT_SCOPE),
    copiesKeepId: object.copies_keep_id === true,
    keep,
    first: compileRule(object.first, place.in('first'), TRANSCRIPT_SCOPE, names),
    last: compileRule(object.last, place.in('last'), TRANSCRIPT_SCOPE, names),
    records,
  };
}

function fieldsOf(object: JsonObject, place: Place, scope: RuleScope): FieldRule[] {
  return compileFields(object.fields, place.in('fields'), scope, scope.fieldOf);
}

function nameOf(object: JsonObject, place: Place, scope: RuleScope): { name: Path[]; prefix: string } {
  const at = place.in('name');
  const name = at.object(object.name, ['from', 'prefix']);
  return {
    name: at
      .in('from')
      .texts(name.from)
      .map((one, index) => compilePath(one, at.in('from').in(index), scope)),
    prefix: name.prefix === undefined ? '' : at.in('prefix').text(name.prefix),
  };
}
