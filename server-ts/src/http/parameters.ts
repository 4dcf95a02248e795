/**
 * Parses the query string into the typed parameters of a route (rule GET-07).
 *
 * Names are compared undecoded; unknown names are ignored. Messages and order come from the contract.
 */

import type { Parameter } from '../contract/routes.ts';
import { fill, LIMITS, PARAMETERS, type ParameterSpec, type RouteSpec, VOCABULARY } from '../contract.ts';
import { Failure } from '../error.ts';
import { parsePlace } from '../render.ts';
import { parseTimeCursor } from '../store/time-search.ts';
import { byteLength, isWellFormed, percentDecode } from '../text.ts';
import { parseTimestamp } from '../timestamp.ts';
import { parseTopics, type Topic } from '../topics.ts';
import { findZone } from '../zones.ts';

const MESSAGES = VOCABULARY.parameter_messages;

type Value = string | number | readonly Topic[];

/** Values by the keys of `routes.json`: text, topics, or a number for integers and times (Unix milliseconds). */
export class Parameters {
  private readonly values: ReadonlyMap<Parameter, Value>;

  constructor(values: ReadonlyMap<Parameter, Value>) {
    this.values = values;
  }

  text(key: Parameter): string | undefined {
    const value = this.values.get(key);
    return typeof value === 'string' ? value : undefined;
  }

  number(key: Parameter): number | undefined {
    const value = this.values.get(key);
    return typeof value === 'number' ? value : undefined;
  }

  topics(key: Parameter): readonly Topic[] | undefined {
    const value = this.values.get(key);
    return typeof value === 'object' ? value : undefined;
  }
}

/** Throws `invalid_parameter` for the first parameter, in the order of the method's list, that breaks a rule. */
export function readParameters(
  query: string,
  route: RouteSpec,
  method: string,
  isExport = false,
): Parameters {
  const pairs = query === '' ? [] : query.split('&').map(splitPair);
  const own = route.own_parameters?.[method];
  if (own !== undefined) refuseUnknown(own, pairs);
  return collect(own ?? route.parameters, isExport, ({ name }) => {
    const given = pairs.filter((pair) => pair[0] === name);
    if (given.length === 0) return undefined;
    if (given.length > 1) throw invalid(name, MESSAGES.twice);
    const text = percentDecode(given[0]![1], true);
    if (text === undefined) throw invalid(name, MESSAGES.encoding);
    return text;
  });
}

/** Reads the options of a typed call, which are decoded and unique (rule RPC-05). Throws like `readParameters`. */
export function optionParameters(
  route: RouteSpec,
  options: readonly (readonly [name: string, text: string])[],
): Parameters {
  return collect(route.parameters, false, ({ name }) => options.find((option) => option[0] === name)?.[1]);
}

/**
 * Throws for an unknown name. A method with its own parameters deletes or changes something, so a misspelt name must
 * not be ignored.
 */
function refuseUnknown(own: readonly Parameter[], pairs: readonly Pair[]): void {
  const names = own.map((key) => PARAMETERS[key].name);
  const unknown = pairs.find(([name]) => name !== '' && !names.includes(name));
  if (unknown !== undefined) throw invalid(unknown[0], MESSAGES.unknown);
}

function collect(
  keys: readonly Parameter[],
  isExport: boolean,
  given: (spec: ParameterSpec) => string | undefined,
): Parameters {
  const values = new Map<Parameter, Value>();
  for (const key of keys) {
    const spec = PARAMETERS[key];
    const text = given(spec);
    if (text === undefined && spec.required === true) throw invalid(spec.name, MESSAGES.missing);
    // A page by time is no export, whatever the format is (rule GET-15).
    const ofRead = isExport && !values.has('order_by') ? ofExport(spec) : spec;
    const value = text === undefined ? defaultOf(spec) : readValue(ofRead, text);
    if (value !== undefined) values.set(key, value);
  }
  checkExcluded(values, keys);
  checkCursor(values, keys);
  checkNeeds(values, keys);
  return new Parameters(values);
}

export function invalid(parameter: string, message: string): Failure {
  return new Failure('invalid_parameter', { parameter, message });
}

/** Reads an integer parameter from a query, or from a header, whose name is then passed. */
export function readInteger(spec: ParameterSpec, text: string, name = spec.name): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = spec;
  // One spelling per number: no sign, no leading zero.
  const value = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw invalid(name, fill(MESSAGES.integer, { minimum, maximum }));
}

/** Returns a parameter's limits for an export (rule FMT-09). */
function ofExport(spec: ParameterSpec): ParameterSpec {
  return spec.export_maximum === undefined ? spec : { ...spec, maximum: spec.export_maximum };
}

function defaultOf(spec: ParameterSpec): Value | undefined {
  return spec.type === 'topics' && typeof spec.default === 'string'
    ? readTopics(spec, spec.default)
    : spec.default;
}

function readValue(spec: ParameterSpec, text: string): Value {
  if (text === '') throw invalid(spec.name, MESSAGES.empty);
  switch (spec.type) {
    case 'text':
      if (!isWellFormed(text)) throw invalid(spec.name, MESSAGES.well_formed);
      if (byteLength(text) > (spec.bytes ?? Number.POSITIVE_INFINITY)) {
        throw invalid(spec.name, fill(MESSAGES.bytes, { limit: spec.bytes! }));
      }
      return text;
    case 'choice': {
      const { values = [] } = spec;
      if (!values.includes(text))
        throw invalid(spec.name, fill(MESSAGES.one_of, { values: values.join(', ') }));
      return text;
    }
    case 'timestamp': {
      const value = parseTimestamp(text);
      if (value === undefined) throw invalid(spec.name, MESSAGES.timestamp);
      return value;
    }
    case 'cursor':
      if (parsePlace(text) === undefined) throw invalid(spec.name, MESSAGES.cursor);
      return text;
    case 'time_cursor':
      if (parseTimeCursor(text) === undefined) throw invalid(spec.name, MESSAGES.cursor);
      return text;
    case 'zone':
      if (findZone(text) === undefined) throw invalid(spec.name, MESSAGES.zone);
      return text;
    case 'integer':
      return readInteger(spec, text);
    case 'topics':
      return readTopics(spec, text);
  }
}

/** Reads a list of topics (rule SYN-03). */
function readTopics(spec: ParameterSpec, text: string): readonly Topic[] {
  const topics = parseTopics(text);
  if (topics !== undefined) return topics;
  const { topics: names, session_topic_prefix: prefix } = VOCABULARY;
  const values = { limit: LIMITS.stream_topics, values: names.join(', '), prefix };
  throw invalid(spec.name, fill(MESSAGES.topics, values));
}

/** Checks that a parameter comes without those that it excludes (rule GET-07). */
function checkExcluded(values: ReadonlyMap<Parameter, Value>, keys: readonly Parameter[]): void {
  for (const key of keys) {
    const { name, excludes } = PARAMETERS[key];
    const other = values.has(key) ? excludes?.find((one) => values.has(one)) : undefined;
    if (other !== undefined) throw invalid(name, fill(MESSAGES.exclusive, { other: PARAMETERS[other].name }));
  }
}

/** Checks `order` with the cursor (rule GET-05). */
function checkCursor(values: ReadonlyMap<Parameter, Value>, keys: readonly Parameter[]): void {
  if (!keys.includes('order')) return;
  const keysOfCursor = ['after', 'before', 'order'] as const;
  const [after, before, order] = keysOfCursor.map((key) => values.get(key));
  const cursorOrder = after !== undefined ? 'asc' : before !== undefined ? 'desc' : undefined;
  if (cursorOrder !== undefined && order !== undefined && order !== cursorOrder) {
    throw invalid('order', MESSAGES.order);
  }
}

/** Checks that a parameter comes with the one that it requires (rule GET-07). */
function checkNeeds(values: ReadonlyMap<Parameter, Value>, keys: readonly Parameter[]): void {
  for (const key of keys) {
    const { name, needs } = PARAMETERS[key];
    if (needs !== undefined && values.has(key) && !values.has(needs))
      throw invalid(name, fill(MESSAGES.needs, { other: needs }));
  }
}

type Pair = readonly [name: string, value: string];

function splitPair(pair: string): Pair {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
