/**
 * Makes `contract/prices/models.json` from the list of LiteLLM: chat models of the providers that agents use, and only the
 * members that the servers read.
 *
 * An entry that the rules of `names.json` find by another one with equal prices is left out. A name with two prices has
 * an entry without any, so that the servers find none (rule PRI-02).
 */
import { chainOf, lowerCase, type Rules, spellingsOf } from '@twin-ingest/testkit/events/price-names.ts';

/** US dollars per million tokens. */
export interface Rates {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
  cache_write_1h?: number;
}

/** The prices of one mode, and those above a size of the prompt. */
export interface Tariff extends Rates {
  above?: Record<string, Rates>;
}

/** The prices of a model. A mode that is a number multiplies all usual prices. */
export interface Price extends Tariff {
  modes?: Record<string, Tariff | number>;
}

/** An entry of LiteLLM's list; prices are for one token. */
export type Entry = Readonly<Record<string, unknown>>;

/** The providers that sell models of their own. The plain name of a model has their price. */
const MAKERS: readonly string[] = [
  'anthropic',
  'openai',
  'gemini',
  'vertex_ai-language-models',
  'xai',
  'deepseek',
  'mistral',
  'codestral',
  'moonshot',
  'zai',
  'dashscope',
  'minimax',
  'cohere_chat',
  'xiaomi_mimo',
  'inception',
];
/** The providers that sell models of others. */
const HOSTS: readonly string[] = [
  'bedrock_converse',
  'bedrock',
  'vertex_ai-anthropic_models',
  'vertex_ai',
  'azure',
  'azure_ai',
  'github_copilot',
  'groq',
  'cerebras',
];
/** Names of Bedrock with one region or commitment each; agents send the names of inference profiles instead. */
const REGIONS = /^bedrock(?:_mantle)?\/.*\//;
/** Where the price of a model is taken from that its maker no longer lists, in this order. */
const FORMER: readonly string[] = ['bedrock_converse', 'bedrock', 'vertex_ai-anthropic_models'];

/** The members of LiteLLM, by ours. */
const MEMBERS = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cache_read: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
} as const;
type Kind = keyof typeof MEMBERS;
const KINDS = Object.keys(MEMBERS) as Kind[];
/** The modes of LiteLLM, by ours. */
const MODES = { batch: 'batches', flex: 'flex', priority: 'priority', ultrafast: 'ultrafast' } as const;
const ALL_MODES = ['batch', 'fast', 'flex', 'priority', 'ultrafast'] as const;
/** Models of Anthropic that no agent uses. Their names are prefixes of other names once their version is removed. */
const OLD = /claude-(?:v\d|instant)/i;
/** Anthropic prices a cache write of one hour at twice the price of input, and one of five minutes at 1.25 times. */
const WRITE_1H = 2;
const WRITE_5M = 1.25;

/** Returns the prices of models by name, in the order of their names. */
export function pricesOf(list: Readonly<Record<string, Entry>>, rules: Rules): Record<string, Price> {
  const entries = Object.entries(list).flatMap(([name, entry]) => {
    const provider = String(entry.litellm_provider);
    const isSold = (MAKERS.includes(provider) || HOSTS.includes(provider)) && !REGIONS.test(name);
    const price = isSold ? priceOf(name, entry) : undefined;
    return price === undefined ? [] : [{ name: lowerCase(name), provider, price }];
  });
  const known = new Map<string, Price>();
  for (const { name, price } of entries) known.set(name, joined([known.get(name) ?? price, price]));
  const listed = new Set(known.keys());
  const putMissing = (names: (one: (typeof entries)[number]) => string[], from: typeof entries): void => {
    const found = new Map<string, Price[]>();
    for (const one of from)
      for (const name of names(one))
        if (!listed.has(name)) found.set(name, [...(found.get(name) ?? []), one.price]);
    for (const [name, prices] of found) {
      listed.add(name);
      known.set(name, joined(prices));
    }
  };
  // The plain name of a model that its maker lists under a prefix.
  putMissing(
    ({ name }) => (name.includes('/') ? [name.slice(name.indexOf('/') + 1)] : []),
    entries.filter(({ provider }) => MAKERS.includes(provider)),
  );
  // Names without the decorations at their ends, so that a region keeps its own price.
  putMissing(({ name }) => chainOf(name, rules.ends).slice(1), entries);
  for (const provider of FORMER) {
    putMissing(
      ({ name }) => chainOf(chainOf(name, rules.ends).at(-1)!, rules.beginnings).slice(-1),
      entries.filter((one) => one.provider === provider && !/^(?!anthropic)[a-z-]+\./.test(one.name)),
    );
  }
  return smallest(known, rules);
}

/** Returns the prices that all of these agree on; none if their usual prices differ. */
function joined(prices: readonly Price[]): Price {
  const [first = {}, ...others] = prices;
  const { modes: _, ...usual } = first;
  if (others.some(({ modes: _, ...other }) => !isSame(other, usual))) return {};
  const modes: Record<string, Tariff | number> = {};
  for (const mode of ALL_MODES) {
    const found = prices.flatMap((price) => price.modes?.[mode] ?? []);
    if (found.length > 0 && found.every((one) => isSame(one, found[0]!))) modes[mode] = found[0]!;
  }
  return withModes(usual, modes);
}

function withModes(usual: Tariff, modes: Record<string, Tariff | number>): Price {
  return Object.keys(modes).length === 0 ? usual : { ...usual, modes };
}

/** Returns the prices of an entry; `undefined` when it is no chat model, or no fixed price. */
function priceOf(name: string, entry: Entry): Price | undefined {
  if (entry.mode !== 'chat' && entry.mode !== 'responses') return undefined;
  // Its price depends on the hour.
  if (entry.off_peak_pricing !== undefined) return undefined;
  const isClaude = /claude/i.test(name);
  if (isClaude && OLD.test(name)) return undefined;
  const ranges = entry.tiered_pricing;
  const listed = tariffOf(entry, '') ?? (Array.isArray(ranges) ? ofRanges(ranges) : undefined);
  if (listed === undefined) return undefined;
  const price = isClaude ? withHour(listed) : listed;
  // Thoughts have another price than other output, and events do not tell them apart.
  const thoughts = entry.output_cost_per_reasoning_token;
  if (thoughts !== undefined && perMillion(thoughts) !== price.output) return undefined;
  const modes: Record<string, Tariff | number> = {};
  for (const [mode, end] of Object.entries(MODES)) {
    const tariff = tariffOf(entry, `_${end}`);
    if (tariff === undefined) continue;
    const whole = isGoogle(entry) ? withCacheOf(price, tariff) : tariff;
    modes[mode] = factorOf(whole, price) ?? withSizesOf(price, whole);
  }
  const { fast } = (entry.provider_specific_entry ?? {}) as { fast?: unknown };
  if (typeof fast === 'number') modes.fast = fast;
  return withModes(price, sorted(modes));
}

/** Returns the prices with this ending of their names. */
function tariffOf(entry: Entry, end: string): Tariff | undefined {
  const rates = ratesOf(entry, '', end);
  if (rates.input === undefined || rates.output === undefined) return undefined;
  const above: Record<string, Rates> = {};
  const sizes = Object.keys(entry).flatMap((key) => {
    const found = /^input_cost_per_token_above_(\d+)k_tokens(?:_([a-z]+))?$/.exec(key);
    return found !== null && (found[2] === undefined ? '' : `_${found[2]}`) === end ? [Number(found[1])] : [];
  });
  for (const size of sizes.sort((one, other) => one - other))
    above[`${size}000`] = ratesOf(entry, `_above_${size}k_tokens`, end);
  return { ...rates, ...(sizes.length > 0 ? { above } : {}) };
}

function ratesOf(entry: Entry, middle: string, end: string): Rates {
  const rates: Rates = {};
  for (const kind of KINDS) {
    const cost = perMillion(entry[`${MEMBERS[kind]}${middle}${end}`]);
    if (cost !== undefined) rates[kind] = cost;
  }
  return rates;
}

/** Adds the price of a cache write of one hour of Anthropic where the list leaves it out. */
function withHour({ above, ...rates }: Tariff): Tariff {
  const hour = ({ ...rates }: Rates): Rates => {
    const { input, cache_write, cache_write_1h } = rates;
    const isUsual = input !== undefined && cache_write !== undefined && near(cache_write, input * WRITE_5M);
    if (isUsual && cache_write_1h === undefined) rates.cache_write_1h = rounded(input * WRITE_1H);
    return rates;
  };
  if (above === undefined) return hour(rates);
  return {
    ...hour(rates),
    above: Object.fromEntries(Object.entries(above).map(([size, one]) => [size, hour(one)])),
  };
}

/** Returns whether Google sells the model. */
function isGoogle({ litellm_provider }: Entry): boolean {
  return litellm_provider === 'gemini' || litellm_provider === 'vertex_ai-language-models';
}

/** Adds the usual price of reads from a cache where a mode has none: Google's modes leave it as it is. */
function withCacheOf(usual: Tariff, mode: Tariff): Tariff {
  const added = (one: Rates, of: Rates | undefined): Rates => {
    const { input, output, cache_read = of?.cache_read, ...others } = one;
    return {
      ...(input !== undefined && { input }),
      ...(output !== undefined && { output }),
      ...(cache_read !== undefined && { cache_read }),
      ...others,
    };
  };
  const { above, ...rates } = mode;
  if (above === undefined) return added(rates, usual);
  const sizes = Object.entries(above).map(([size, one]) => [size, added(one, usual.above?.[size])] as const);
  return { ...added(rates, usual), above: Object.fromEntries(sizes) };
}

/** Adds the sizes of prompts for which a mode has no price, so that its prices of shorter prompts do not count for them. */
function withSizesOf({ above: sizes = {} }: Tariff, mode: Tariff): Tariff {
  const none = Object.fromEntries(Object.keys(sizes).map((size) => [size, {}]));
  const above = { ...none, ...mode.above };
  return Object.keys(above).length === 0 ? mode : { ...mode, above };
}

/** Returns the prices of a list of ranges of prompt sizes. */
function ofRanges(ranges: readonly Entry[]): Tariff | undefined {
  const [first, ...others] = ranges;
  if (first === undefined || first.input_cost_per_token === undefined) return undefined;
  const above: Record<string, Rates> = {};
  for (const range of others) above[String((range.range as readonly number[])[0])] = ratesOf(range, '', '');
  return { ...ratesOf(first, '', ''), ...(others.length > 0 ? { above } : {}) };
}

/** Returns what all usual prices are multiplied by, if one number says the same as the prices of a mode. */
function factorOf(mode: Tariff, usual: Tariff): number | undefined {
  const factor = rounded(mode.input! / usual.input!);
  const covers = (some: Rates, all: Rates): boolean =>
    KINDS.every((kind) => {
      if (all[kind] === undefined) return some[kind] === undefined;
      if (some[kind] === undefined) return kind === 'cache_write_1h';
      return near(some[kind], all[kind] * factor);
    });
  const sizes = Object.keys(usual.above ?? {});
  const isEqual =
    covers(mode, usual) &&
    Object.keys(mode.above ?? {}).join() === sizes.join() &&
    sizes.every((size) => covers(mode.above![size]!, usual.above![size]!));
  return isEqual && Number.isInteger(factor * 1000) ? factor : undefined;
}

/** Leaves out entries that the rules find by another one with equal prices. */
function smallest(known: ReadonlyMap<string, Price>, rules: Rules): Record<string, Price> {
  const spellings = new Map([...known.keys()].map((name) => [name, spellingsOf(name, rules)]));
  const kept = new Map(known);
  const isFound = (name: string): boolean => {
    const found = spellings.get(name)!.find((one) => kept.has(one));
    return isSame(known.get(name)!, found === undefined ? {} : kept.get(found)!);
  };
  const names = [...known.keys()].sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
  for (const name of names) {
    kept.delete(name);
    if (!isFound(name)) kept.set(name, known.get(name)!);
  }
  // The entry that a name was found by may have been left out later.
  for (let lost: string | undefined; ; kept.set(lost, known.get(lost)!)) {
    lost = names.find((name) => !isFound(name));
    if (lost === undefined) break;
  }
  return Object.fromEntries([...kept].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function isSame(one: Price | number, other: Price | number): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function perMillion(cost: unknown): number | undefined {
  return typeof cost === 'number' ? rounded(cost * 1e6) : undefined;
}

function rounded(price: number): number {
  return Number(price.toPrecision(10));
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9 * Math.abs(other);
}

/** A file of prices, as the servers read it. */
export interface PricesFile {
  readonly date: string;
  readonly source: string;
  readonly licence: string;
  readonly models: Readonly<Record<string, Price>>;
}

/** Returns the text of a file, one model a line. */
export function modelsText({ date, source, licence, models }: PricesFile): string {
  const lines = Object.entries(models).map(
    ([name, price]) => `    ${JSON.stringify(name)}: ${JSON.stringify(price)}`,
  );
  return `{
  "about": "Written by \`pnpm prices:update\`: US dollars per million tokens. contract/rules/prices.md has the members.",
  "source": ${JSON.stringify(source)},
  "licence": ${JSON.stringify(licence)},
  "date": ${JSON.stringify(date)},
  "models": {
${lines.join(',\n')}
  }
}
`;
}
