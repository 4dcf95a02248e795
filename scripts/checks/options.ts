/** Checks that variable, bounds, default and choices of each option in `contract/config.json` are consistent. */
import type { Json } from '../contract-facts.ts';

export interface Option {
  readonly name: string;
  readonly env: string;
  readonly type: string;
  readonly default: Json;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly at_least?: string;
  readonly excludes?: string;
}

export function checkOption(option: Option, options: readonly Option[]): string[] {
  const { name, type, default: value, minimum = 0, maximum = 0 } = option;
  const where = `config.json: ${name}`;
  const wanted = `INGEST_${name.toUpperCase().replaceAll('-', '_')}${type === 'list' ? 'S' : ''}`;
  const problems = option.env === wanted ? [] : [`${where}: its variable is ${option.env}, not ${wanted}`];
  if (type === 'integer') {
    if (minimum > maximum) problems.push(`${where}: the minimum is above the maximum`);
    if (typeof value !== 'number' || value < minimum || value > maximum)
      problems.push(`${where}: the default ${value} is not from ${minimum} to ${maximum}`);
  }
  // A choice without a default takes effect only with a flag.
  const isChosen = type === 'switch' || (type === 'choice' && value !== null);
  if (isChosen && !option.choices?.includes(String(value)))
    problems.push(`${where}: the default ${value} is none of the choices`);
  if (option.at_least !== undefined) {
    const other = options.find((one) => one.name === option.at_least);
    if (!other) problems.push(`${where}: ${option.at_least} is no option`);
    else if (Number(value) < Number(other.default))
      problems.push(`${where}: the default is below ${other.name}`);
  }
  const excluded = options.find((one) => one.name === option.excludes);
  if (option.excludes !== undefined && excluded?.type !== 'switch')
    problems.push(`${where}: ${option.excludes} is no switch`);
  return problems;
}
