/**
 * Reads a file of prices, and computes the cost of events that report tokens but no cost (rules PRI-01 to PRI-04).
 *
 * Pure. A cost is whole nano-dollars, like a reported cost. Prices are plain data, so they can be sent to the
 * writer's thread.
 */
import { LIMITS } from './contract.ts';
import { FIELD } from './field.ts';
import { visitMembers } from './json.ts';
import { nanosFromUsd, parseNumber } from './number.ts';
import { INVALID, OPEN_OBJECT, QUOTE, skipSpace, skipValue } from './scanner.ts';
import { byteLength, decodeString, trimText } from './text.ts';
import { parseTimestamp } from './timestamp.ts';

/** The members of a price, in the order in which their products are added. */
const KINDS = ['input', 'output', 'cache_read', 'cache_write'];
/** Number of tokens that a price applies to. */
const TOKENS = 1e6;

/** US dollars per million tokens, in the order of `KINDS`. */
type Price = readonly (number | undefined)[];

/** A file of prices. */
export interface Prices {
  /** The day when the server read them, `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of names in the file. */
  readonly models: number;
  readonly byName: ReadonlyMap<string, Price>;
  /** Prefixes, the longest first. */
  readonly byBeginning: readonly (readonly [beginning: string, price: Price])[];
}

/** Problems of a file of prices (rule PRI-03): the name of the message in `config.json`. */
export type PriceFault =
  | 'prices_json'
  | 'prices_object'
  | 'prices_unknown'
  | 'prices_twice'
  | 'prices_date'
  | 'prices_name'
  | 'prices_text'
  | 'prices_number'
  | 'prices_absent';

/** The first problem of a file of prices. */
export class PriceProblem extends Error {
  readonly fault: PriceFault;
  /** Its place: a JSON Pointer (RFC 6901). */
  readonly path: string;

  constructor(fault: PriceFault, path: string) {
    super(fault);
    this.fault = fault;
    this.path = path;
  }
}

/** A value of the file: its bytes from `start` up to `end`. */
interface Value {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Parses the text of a file of prices (rules PRI-01 to PRI-03). Throws its first problem, a `PriceProblem`. */
export function parsePrices(text: string): Prices {
  const bytes = Buffer.from(text);
  const start = skipSpace(bytes, 0);
  const end = skipValue(bytes, start, LIMITS.json_depth);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) throw new PriceProblem('prices_json', '');
  let date: string | undefined;
  let models: (readonly [string, Price])[] | undefined;
  for (const { name, value, path } of membersOf({ bytes, start, end }, '')) {
    if (name === 'date') date = dateOf(value, path);
    else if (name === 'models') models = modelsOf(value, path);
    else throw new PriceProblem('prices_unknown', path);
  }
  if (date === undefined) throw new PriceProblem('prices_absent', '/date');
  if (models === undefined) throw new PriceProblem('prices_absent', '/models');
  const byName = new Map<string, Price>();
  const byBeginning: [string, Price][] = [];
  for (const [name, price] of models) {
    if (name.endsWith('*')) byBeginning.push([name.slice(0, -1), price]);
    else byName.set(name, price);
  }
  byBeginning.sort(([one], [other]) => other.length - one.length);
  return { date, models: models.length, byName, byBeginning };
}

/**
 * Returns the cost of tokens in nano-dollars, given their counts in the order of `KINDS`; NaN when the prices do not
 * cover them (rule PRI-04).
 */
export function computedNanos(prices: Prices, model: string, counts: readonly number[]): number {
  const price = priceOf(prices, model);
  if (price === undefined) return Number.NaN;
  let hasTokens = false;
  let sum = 0;
  for (let kind = 0; kind < counts.length; kind++) {
    if (counts[kind] === 0) continue;
    hasTokens = true;
    sum += counts[kind]! * (price[kind] ?? Number.NaN);
  }
  const usd = sum / TOKENS;
  return hasTokens && usd <= LIMITS.max_cost_usd ? nanosFromUsd(usd) : Number.NaN;
}

/** Returns the price of a model: by its name, else by its longest prefix (rule PRI-02). */
function priceOf({ byName, byBeginning }: Prices, model: string): Price | undefined {
  return byName.get(model) ?? byBeginning.find(([beginning]) => model.startsWith(beginning))?.[1];
}

function dateOf({ bytes, start, end }: Value, path: string): string {
  // A value without quotes is not a date.
  const text = bytes[start] === QUOTE ? bytes.toString('utf8', start + 1, end - 1) : '';
  const isDate = text.length === 'YYYY-MM-DD'.length && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
  if (!isDate) throw new PriceProblem('prices_date', path);
  return text;
}

function modelsOf(models: Value, path: string): (readonly [string, Price])[] {
  return Array.from(membersOf(models, path), ({ name, value, path }) => {
    if (!isName(name)) throw new PriceProblem('prices_name', path);
    return [name, priceIn(value, path)] as const;
  });
}

function priceIn(value: Value, path: string): Price {
  const price: (number | undefined)[] = KINDS.map(() => undefined);
  for (const member of membersOf(value, path)) {
    const kind = KINDS.indexOf(member.name);
    if (kind < 0) throw new PriceProblem('prices_unknown', member.path);
    const { bytes, start, end } = member.value;
    // The text of a value that is not a number does not parse.
    const number = parseNumber(bytes, start, end);
    if (!(number >= 0 && number <= LIMITS.max_cost_usd)) {
      throw new PriceProblem('prices_number', member.path);
    }
    price[kind] = number;
  }
  return price;
}

/** Returns whether a name is a model's name, or a prefix followed by `*`. */
function isName(name: string): boolean {
  const stem = name.endsWith('*') ? name.slice(0, -1) : name;
  const model = stem === name ? stem : `${stem}x`;
  const isModel = model !== '' && trimText(model) === model;
  return isModel && byteLength(stem) <= FIELD.model.maxBytes && !stem.includes('*');
}

interface Member {
  readonly name: string;
  readonly value: Value;
  readonly path: string;
}

/** Yields the members of an object with their names, values and places, until one has a problem. */
function* membersOf({ bytes, start }: Value, path: string): Generator<Member> {
  if (bytes[start] !== OPEN_OBJECT) throw new PriceProblem('prices_object', path);
  const spans: [number, number, number, number][] = [];
  visitMembers(bytes, start, (...span) => spans.push(span));
  const known = new Set<string>();
  for (const [keyStart, keyEnd, valueStart, valueEnd] of spans) {
    const name = decodeString(bytes, keyStart, keyEnd);
    if (name === undefined) throw new PriceProblem('prices_text', path);
    const place = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (known.has(name)) throw new PriceProblem('prices_twice', place);
    yield { name, value: { bytes, start: valueStart, end: valueEnd }, path: place };
    known.add(name);
  }
}
