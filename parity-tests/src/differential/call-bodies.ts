/**
 * Generates bodies of typed calls as JSON texts: calls with unusual envelopes, notifications, and batches of all of
 * them.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../../contract/vocabulary.json' with { type: 'json' };
import { argumentText } from './call-arguments.ts';
import { METHODS } from './call-types.ts';
import { jsonValue, key, nested, number, oddScalar, text } from './values.ts';

const NAMES = Object.keys(METHODS);

const TOPICS = [
  ...VOCABULARY.topics,
  'session:s1',
  'session:s/4 %',
  'session:h,1',
  'session:none',
  'session:',
  'x',
  '',
];

const OTHER_METHODS = [
  'echo',
  'echo.',
  'Echo.long',
  'rpc.x',
  'stats',
  '',
  'constructor',
  '__proto__',
  'echo.long\u0000',
];

/** Returns the text of a whole body. */
export function callsText(random: Random): string {
  const roll = random.next();
  if (roll < 0.7) return callText(random);
  if (roll < 0.72) return random.chance(0.5) ? oddScalar(random) : jsonValue(random);
  if (roll < 0.73) return edgeOfBatch(random);
  const items = Array.from({ length: random.below(7) }, () => batchItem(random));
  const comma = random.chance(0.9) ? ',' : random.pick([' , ', '\n,', ',,']);
  return `${random.pick(['', '', '', ' ', '\r\n'])}[${items.join(comma)}]`;
}

function batchItem(random: Random): string {
  if (random.chance(0.92)) return callText(random);
  return random.chance(0.5)
    ? oddScalar(random)
    : random.pick(['[]', `[${callText(random)}]`, '{}', jsonValue(random)]);
}

/** Returns a batch of about as many short calls as a batch may have. */
function edgeOfBatch(random: Random): string {
  const count = LIMITS.rpc_batch_calls + random.pick([-1, 0, 1, 2]);
  const one = random.pick([
    '{"jsonrpc":"2.0","method":"echo.long","params":[5],"id":1}',
    '{"jsonrpc":"2.0","method":"echo.long","params":[5]}',
    '{"jsonrpc":"2.0","method":"x","id":"a"}',
    '1',
  ]);
  const items = Array.from({ length: count }, () => one);
  if (random.chance(0.5)) items[random.below(count)] = callText(random);
  return `[${items.join(',')}]`;
}

/** Returns one call, mostly as client libraries write it, and otherwise as no library writes it. */
function callText(random: Random): string {
  const method = random.pick(NAMES);
  const members: [string, string][] = [
    [
      'jsonrpc',
      random.chance(0.97) ? '"2.0"' : random.pick(['"1.0"', '2.0', '2', 'null', '"2.0 "', '"\\u0032.0"']),
    ],
    ['method', random.chance(0.95) ? JSON.stringify(method) : oddMethod(random)],
  ];
  if (random.chance(0.96)) members.push(['params', paramsText(random, method)]);
  if (random.chance(0.9)) members.push(['id', idText(random)]);
  const roll = random.next();
  if (roll < 0.05) members.reverse();
  else if (roll < 0.08) members.splice(random.below(members.length), 1);
  else if (roll < 0.12)
    members.splice(random.below(members.length + 1), 0, [
      random.pick(['x', '', 'Params', '__proto__', 'result']),
      extra(random),
    ]);
  else if (roll < 0.18) members.splice(random.below(members.length + 1), 0, again(random, method));
  const space = random.chance(0.1) ? random.pick([' ', '\n', '\t\r\n']) : '';
  const written = members.map(
    ([name, value]) => `${space}${key(random, name)}${space}:${space}${value}${space}`,
  );
  return `{${written.join(',')}}`;
}

/** Returns a repeated member, with the same value or another one. */
function again(random: Random, method: string): [string, string] {
  const name = random.pick(['jsonrpc', 'method', 'params', 'id']);
  if (random.chance(0.3)) return [name, oddScalar(random)];
  const values = {
    jsonrpc: () => '"2.0"',
    method: () => JSON.stringify(random.pick(NAMES)),
    params: () => paramsText(random, method),
    id: () => idText(random),
  };
  return [name, values[name as keyof typeof values]()];
}

function extra(random: Random): string {
  return random.chance(0.3) ? nested(random.pick([1, 125, 126, 127, 128, 1_000])) : jsonValue(random);
}

function oddMethod(random: Random): string {
  if (random.chance(0.5)) return JSON.stringify(random.pick(OTHER_METHODS));
  return random.chance(0.5) ? text(random, NAMES) : `"\\u0065cho.long"`;
}

/** Returns a number or a string in any spelling, since the servers return the id; rarely an invalid id. */
function idText(random: Random): string {
  if (random.chance(0.5)) return String(random.below(1_000));
  if (random.chance(0.4)) return text(random, ['a', '', '\u00e9', '\u{1f600}', 'x'.repeat(300)]);
  if (random.chance(0.6)) return number(random);
  return random.pick(['null', 'null', 'true', '[]', '{}', '[1]', '"\\ud800"', '"\\u0041"']);
}

function paramsText(random: Random, method: string): string {
  const roll = random.next();
  if (roll < 0.02)
    return random.pick(['{}', 'null', '"x"', '1', 'true', '{"value":5}', '{"0":5}', '[[', '[null]']);
  if (roll < 0.03) return nested(random.pick([1, 2, 126, 127, 128, 129]));
  const parameters = METHODS[method]!;
  const given = parameters.filter((one) => random.chance(one.optional ? 0.8 : 0.98));
  const items = given.map((one) =>
    method === 'snapshot.get' && one.type === 'DOMString' && random.chance(0.95)
      ? text(random, TOPICS)
      : argumentText(random, one),
  );
  if (random.chance(0.03)) items.push(random.chance(0.5) ? 'null' : jsonValue(random));
  const space = random.chance(0.05) ? random.pick([' ', '\n']) : '';
  return `[${space}${items.join(`${space},${space}`)}${space}]`;
}
