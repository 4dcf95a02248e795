/**
 * Reads lists of prices, and computes the cost of events that report tokens but no cost (rules PRI-01 to PRI-04).
 *
 * Pure. A cost is whole nano-dollars, like a reported cost. Prices are plain data, so they can be sent to the
 * writer's thread. Over 250 lines because one file has the grammar of a list and its problems.
 */
import { LIMITS, PRICES } from './contract.ts';
import { FIELD } from './field.ts';
import { visitMembers } from './json.ts';
import { nanosFromUsd, parseNumber } from './number.ts';
import { isMode, modesOf, spellingsOf } from './price-names.ts';
import { INVALID, OPEN_OBJECT, QUOTE, skipSpace, skipValue } from './scanner.ts';
import { byteLength, decodeString, lowerCase, trimText } from './text.ts';
import { parseTimestamp } from './timestamp.ts';

/** The prices of a mode, in the order in which their products are added. */
const KINDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'];
/** Members that say where a list comes from, and have no effect. */
const NOTES = ['about', 'source', 'licence'];
/** Number of tokens that a price applies to. */
const TOKENS = 1e6;
/** A number of tokens as the name of a member. */
const SIZE = /^[1-9][0-9]*$/;

/** US dollars per million tokens, in the order of `KINDS`. */
type Rates = (number | undefined)[];
/** Counts of tokens, in the order of `KINDS`. Those of `cache_write` are the writes that last five minutes. */
export type Counts = readonly [
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cacheWrite1h: number,
];

/** The prices of one mode of a model. */
export interface Tariff {
  readonly rates: Readonly<Rates>;
  /** Those of prompts above a number of tokens; the largest number first. */
  readonly above: readonly (readonly [size: number, rates: Readonly<Rates>])[];
}

/** The prices of a model. */
interface Price {
  readonly usual: Tariff;
  readonly modes: ReadonlyMap<string, Tariff>;
}

/** A list of prices. */
export interface PriceList {
  /** The day when its prices were read, `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of its names. */
  readonly models: number;
  readonly byName: ReadonlyMap<string, Price>;
  /** Prefixes, the longest first. */
  readonly byBeginning: readonly (readonly [beginning: string, price: Price])[];
}

/** The prices of a server. */
export interface Prices {
  /** The list of `--prices`. */
  readonly file: PriceList | undefined;
  /** The list inside of the program. */
  readonly builtIn: PriceList;
}

/** Problems of a file of prices (rule PRI-03): the name of the message in `config.json`. */
export type PriceFault =
  | 'prices_json'
  | 'prices_object'
  | 'prices_unknown'
  | 'prices_twice'
  | 'prices_date'
  | 'prices_note'
  | 'prices_name'
  | 'prices_size'
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

/** The built-in list, whose grammar `pnpm contract:check` and a test check. */
interface ListFile {
  readonly date: string;
  readonly models: Readonly<Record<string, PriceSpec>>;
}

interface PriceSpec extends TariffSpec {
  readonly modes?: Readonly<Record<string, number | TariffSpec>>;
}

interface TariffSpec extends RateSpec {
  readonly above?: Readonly<Record<string, RateSpec>>;
}

type RateSpec = Readonly<Record<string, unknown>>;

/** Returns the list inside of the program. By `JSON.parse`, which takes a tenth of the time of `parsePrices`. */
export function builtInPrices(): PriceList {
  const { date, models } = JSON.parse(PRICES) as ListFile;
  const byName = new Map(Object.entries(models).map(([name, spec]) => [name, priceOfSpec(spec)]));
  return { date, models: byName.size, byName, byBeginning: [] };
}

function priceOfSpec(spec: PriceSpec): Price {
  const usual = tariffOfSpec(spec);
  const modes = new Map<string, Tariff>();
  for (const [name, mode] of Object.entries(spec.modes ?? {}))
    modes.set(name, typeof mode === 'number' ? multiplied(usual, mode) : tariffOfSpec(mode));
  return { usual, modes };
}

function tariffOfSpec(spec: TariffSpec): Tariff {
  const ratesOf = (one: RateSpec): Rates => KINDS.map((kind) => one[kind] as number | undefined);
  const above = Object.entries(spec.above ?? {}).map(([size, one]) => [Number(size), ratesOf(one)] as const);
  return { rates: ratesOf(spec), above: above.sort(([one], [other]) => other - one) };
}

/** Parses the text of a file of prices (rules PRI-01 to PRI-03). Throws its first problem, a `PriceProblem`. */
export function parsePrices(text: string): PriceList {
  const bytes = Buffer.from(text);
  const start = skipSpace(bytes, 0);
  const end = skipValue(bytes, start, LIMITS.json_depth);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) throw new PriceProblem('prices_json', '');
  let date: string | undefined;
  let models: (readonly [string, Price])[] | undefined;
  for (const { name, value, path } of membersOf({ bytes, start, end }, '')) {
    if (name === 'date') date = dateOf(value, path);
    else if (name === 'models') models = modelsOf(value, path);
    else if (!NOTES.includes(name)) throw new PriceProblem('prices_unknown', path);
    else if (bytes[value.start] !== QUOTE) throw new PriceProblem('prices_note', path);
  }
  if (date === undefined) throw new PriceProblem('prices_absent', '/date');
  if (models === undefined) throw new PriceProblem('prices_absent', '/models');
  const byName = new Map<string, Price>();
  const byBeginning: [string, Price][] = [];
  for (const [name, price] of models) {
    if (name.endsWith('*')) byBeginning.push([name.slice(0, -1), price]);
    else byName.set(name, price);
  }
  byBeginning.sort(([one], [other]) => byteLength(other) - byteLength(one));
  return { date, models: models.length, byName, byBeginning };
}

/** Returns the prices that apply to a model in a service tier (rules PRI-02 and PRI-08). */
export function tariffOf(prices: Prices, model: string, serviceTier: string | undefined): Tariff | undefined {
  const price = priceOf(prices, model);
  const modes = serviceTier === undefined ? [] : modesOf(serviceTier);
  if (price === undefined || modes === undefined) return undefined;
  if (modes.length === 0) return price.usual;
  const mode = modes.find((one) => price.modes.has(one));
  return mode === undefined ? undefined : price.modes.get(mode);
}

/** Returns the cost of tokens in nano-dollars; NaN when the prices do not cover them (rule PRI-04). */
export function computedNanos(tariff: Tariff, counts: Counts): number {
  const prompt = counts[0] + counts[2] + counts[3] + counts[4];
  const rates = tariff.above.find(([size]) => prompt > size)?.[1] ?? tariff.rates;
  let hasTokens = false;
  let sum = 0;
  for (let kind = 0; kind < counts.length; kind++) {
    if (counts[kind] === 0) continue;
    hasTokens = true;
    sum += counts[kind]! * (rates[kind] ?? Number.NaN);
  }
  const usd = sum / TOKENS;
  return hasTokens && usd <= LIMITS.max_cost_usd ? nanosFromUsd(usd) : Number.NaN;
}

/**
 * Returns the price of a model: that of its first spelling with one. In each, the file counts before the built-in list,
 * and a name before a prefix (rule PRI-02).
 */
function priceOf({ file, builtIn }: Prices, model: string): Price | undefined {
  for (const name of spellingsOf(model)) {
    const found = (file && priceInList(file, name)) ?? priceInList(builtIn, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function priceInList({ byName, byBeginning }: PriceList, name: string): Price | undefined {
  return byName.get(name) ?? byBeginning.find(([beginning]) => name.startsWith(beginning))?.[1];
}

function dateOf({ bytes, start, end }: Value, path: string): string {
  // A value without quotes is not a date.
  const text = bytes[start] === QUOTE ? bytes.toString('utf8', start + 1, end - 1) : '';
  const isDate = text.length === 'YYYY-MM-DD'.length && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
  if (!isDate) throw new PriceProblem('prices_date', path);
  return text;
}

/** Returns the models with their names in lower case. */
function modelsOf(models: Value, path: string): (readonly [string, Price])[] {
  const known = new Set<string>();
  return Array.from(membersOf(models, path), (member) => {
    if (!isName(member.name)) throw new PriceProblem('prices_name', member.path);
    const name = lowerCase(member.name);
    if (known.has(name)) throw new PriceProblem('prices_twice', member.path);
    known.add(name);
    return [name, priceIn(member.value, member.path)] as const;
  });
}

function priceIn(value: Value, path: string): Price {
  const modes = new Map<string, Tariff>();
  const factors: (readonly [string, number])[] = [];
  const usual = tariffIn(value, path, (member) => {
    if (member.name !== 'modes') throw new PriceProblem('prices_unknown', member.path);
    for (const { name, value, path } of membersOf(member.value, member.path)) {
      if (!isMode(name)) throw new PriceProblem('prices_unknown', path);
      if (value.bytes[value.start] === OPEN_OBJECT) modes.set(name, tariffIn(value, path, refuse));
      else factors.push([name, numberOf(value, path)]);
    }
  });
  for (const [name, factor] of factors) modes.set(name, multiplied(usual, factor));
  return { usual, modes };
}

/** Parses the prices of a mode; `other` visits further members. */
function tariffIn(value: Value, path: string, other: (member: Member) => void): Tariff {
  const rates = noRates();
  const above: (readonly [number, Rates])[] = [];
  for (const member of membersOf(value, path)) {
    if (member.name !== 'above') {
      if (!putRate(rates, member)) other(member);
      continue;
    }
    for (const { name, value, path } of membersOf(member.value, member.path)) {
      const size = SIZE.test(name) ? Number(name) : Number.NaN;
      if (!(size <= LIMITS.max_integer)) throw new PriceProblem('prices_size', path);
      const ofSize = noRates();
      for (const rate of membersOf(value, path)) if (!putRate(ofSize, rate)) refuse(rate);
      above.push([size, ofSize]);
    }
  }
  above.sort(([one], [other]) => other - one);
  return { rates, above };
}

function refuse({ path }: Member): never {
  throw new PriceProblem('prices_unknown', path);
}

function noRates(): Rates {
  return KINDS.map(() => undefined);
}

/** Puts a price in its place; returns whether the member is one. */
function putRate(rates: Rates, { name, value, path }: Member): boolean {
  const kind = KINDS.indexOf(name);
  if (kind < 0) return false;
  rates[kind] = numberOf(value, path);
  return true;
}

function numberOf({ bytes, start, end }: Value, path: string): number {
  // The text of a value that is not a number does not parse.
  const number = parseNumber(bytes, start, end);
  if (!(number >= 0 && number <= LIMITS.max_cost_usd)) throw new PriceProblem('prices_number', path);
  return number;
}

function multiplied({ rates, above }: Tariff, factor: number): Tariff {
  const times = (of: Readonly<Rates>): Rates => of.map((rate) => rate && rate * factor);
  return { rates: times(rates), above: above.map(([size, of]) => [size, times(of)]) };
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
