/** Checks the grammar of `prices/models.json` and `prices/names.json`, which the servers do not check. */
import type { NameRule, NamesFile } from '@twin-ingest/testkit/events/price-names.ts';
import { lowerCase } from '@twin-ingest/testkit/events/price-names.ts';
import type { Price, PricesFile, Tariff } from '../contract/prices.ts';

/** The most bytes that both programs spend on prices. */
export const MOST_BYTES = 150 * 1024;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SIZE = /^[1-9]\d*$/;
const KINDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'];

/** Returns the problems of the list and of the rules of names, one a line. */
export function checkPrices(list: PricesFile | undefined, names: NamesFile | undefined): string[] {
  if (list === undefined || names === undefined) return [];
  const modes = new Set(Object.values(names.modes).flat());
  const models = Object.keys(list.models);
  return [
    ...(DAY.test(list.date) ? [] : [`models.json: ${list.date} is no date`]),
    ...(JSON.stringify(list).length <= MOST_BYTES ? [] : ['models.json is too large']),
    ...[list.source, list.licence].filter((text) => !text).map(() => 'models.json has no source or licence'),
    ...models.filter((name) => name !== lowerCase(name)).map((name) => `models.json: ${name} has capitals`),
    ...models
      .filter((name, at) => at > 0 && models[at - 1]! >= name)
      .map((name) => `models.json: ${name} is in no order`),
    ...Object.entries(list.models).flatMap(([name, price]) =>
      checkPrice(price, modes).map((problem) => `models.json: ${name}: ${problem}`),
    ),
    ...[...names.ends, ...names.beginnings].flatMap(checkRule).map((problem) => `names.json: ${problem}`),
  ].map((problem) => `contract/prices: ${problem}`);
}

function checkPrice({ modes = {}, ...usual }: Price, known: ReadonlySet<string>): string[] {
  return [
    ...checkTariff(usual),
    ...Object.entries(modes).flatMap(([mode, one]) => [
      ...(known.has(mode) ? [] : [`${mode} is no mode`]),
      ...(typeof one === 'number' ? checkNumber(one) : checkTariff(one)),
    ]),
  ];
}

function checkTariff({ above = {}, ...rates }: Tariff): string[] {
  return [
    ...checkRates(rates),
    ...Object.entries(above).flatMap(([size, one]) => [
      ...(SIZE.test(size) ? [] : [`${size} is no number of tokens`]),
      ...checkRates(one),
    ]),
  ];
}

function checkRates(rates: object): string[] {
  return Object.entries(rates).flatMap(([kind, price]) => [
    ...(KINDS.includes(kind) ? [] : [`${kind} is no price`]),
    ...checkNumber(price),
  ]);
}

function checkNumber(price: unknown): string[] {
  return typeof price === 'number' && price >= 0 && price <= 1e6 ? [] : [`${price} is no price`];
}

/** Each rule makes a name shorter or takes a text out of it, so that the spellings of a name end. */
function checkRule(rule: NameRule): string[] {
  const { suffix, prefix, becomes = '', within, from = '', to = '' } = rule;
  const text = JSON.stringify(rule);
  const pattern = suffix ?? prefix;
  return [
    ...([suffix, prefix, within].filter((one) => one !== undefined).length === 1
      ? []
      : [`${text} is no rule`]),
    ...(text === lowerCase(text) ? [] : [`${text} has capitals`]),
    ...(suffix?.includes('*') ? [`${text} has a * at the end`] : []),
    ...(pattern !== undefined && becomes.length >= pattern.replaceAll('*', '').length
      ? [`${text} shortens no name`]
      : []),
    ...(within !== undefined && (from === '' || to.includes(from)) ? [`${text} does not end`] : []),
  ];
}
