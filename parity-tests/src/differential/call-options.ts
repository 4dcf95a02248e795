/**
 * Generates options of typed calls as JSON texts: the query parameters that their methods take, as strings and
 * numbers.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import ROUTES from '../../../contract/routes.json' with { type: 'json' };
import { key, number, text, timestampText } from './values.ts';

/** Returns some of the route's parameters, as strings and numbers. Each value may break its rule. */
export function optionsText(random: Random, path: string): string {
  const names = ROUTES.routes.find((route) => route.path === path)!.parameters;
  const members = Array.from({ length: random.pick([0, 0, 1, 1, 2, 3, 5]) }, (): [string, string] => {
    const parameter = names.length > 0 && random.chance(0.95) ? random.pick(names) : 'x';
    // A parameter's name in the query may differ from its key in the routes.
    const name = parameter === 'since_revision' ? 'since' : parameter;
    if (name === 'wait') return [name, random.pick(['0', '"0"', '"x"', '-1', '1.5'])];
    return [name, random.chance(0.3) ? number(random) : optionValue(random, name)];
  });
  return `{${members.map(([name, value]) => `${key(random, name)}:${value}`).join(',')}}`;
}

function optionValue(random: Random, name: string): string {
  if (/limit|after|before/.test(name))
    return random.pick(['1', '2', '10', '"3"', '1000', '1001', '0', '"01"', '"1.0"', '1.0', '-0', '""']);
  if (/since|until/.test(name))
    return random.chance(0.5)
      ? JSON.stringify(timestampText(random))
      : random.pick(['"0"', '"1"', '5', '"2000-01-01T00:00:00Z"']);
  if (name === 'order') return random.pick(['"asc"', '"desc"', '"up"']);
  return text(random, [
    's1',
    's2',
    'claude',
    'tool_use',
    'error',
    'success',
    'main',
    'idle',
    'ended',
    'p1',
    'x',
  ]);
}
