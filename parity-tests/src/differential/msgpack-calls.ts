/** Generates typed calls in MessagePack from markers: long forms, repeated keys, values of every type. */
import type { Random } from '@twin-ingest/testkit/random.ts';
import { DICTIONARIES, itemOf, METHODS, type Parameter } from './call-types.ts';
import { collection, deep, hex, text, textValue, value } from './msgpack-bodies.ts';

const NAMES = Object.keys(METHODS);

/** Numbers at the limits of `long` and `double`, in all forms that can hold them. */
const NUMBERS = [
  '00',
  'ff',
  'cc05',
  'cd0005',
  'ce7fffffff',
  'ce80000000',
  'cf0000000000000005',
  'd0ff',
  'd1ffff',
  'd280000000',
  'd2ffffffff',
  'd3ffffffff80000000',
  'd3ffffffff7fffffff',
  'cf001fffffffffffff',
  'cf0020000000000001',
  'cfffffffffffffffff',
  'd38000000000000000',
  'ca40a00000',
  'ca80000000',
  'ca3dcccccd',
  'cb4014000000000000',
  'cb8000000000000000',
  'cb41dfffffffc00000',
  'cb41e0000000000000',
  'cb3fb999999999999a',
  'cb4340000000000000',
  'cb0000000000000001',
  'cb7fefffffffffffff',
  'cb7ff0000000000000',
  'cb7ff8000000000000',
];

/** Returns one call, or a few of them. */
export function msgpackCalls(random: Random): Buffer {
  const body = random.chance(0.7) ? call(random) : batch(random);
  const roll = random.next();
  if (roll < 0.03) return Buffer.concat([body, random.pick([hex('c0'), body, hex('0a')])]);
  return roll < 0.06 ? body.subarray(0, random.below(body.length)) : body;
}

function batch(random: Random): Buffer {
  const calls = Array.from({ length: random.below(5) }, () =>
    random.chance(0.93) ? call(random) : value(random, 0),
  );
  return collection(random, 0x90, calls.length, calls);
}

function call(random: Random): Buffer {
  const method = random.pick(NAMES);
  const members = [
    [text('jsonrpc', random), random.chance(0.97) ? text('2.0', random) : value(random, 0)],
    [text('method', random), random.chance(0.97) ? text(method, random) : value(random, 0)],
    [text('params', random), random.chance(0.97) ? params(random, method) : value(random, 0)],
  ];
  if (random.chance(0.9))
    members.push([text('id', random), random.chance(0.5) ? hex(random.pick(NUMBERS)) : value(random, 3)]);
  if (random.chance(0.1))
    members.splice(random.below(members.length + 1), 0, [
      text('x'),
      random.chance(0.2) ? deep(random) : value(random, 0),
    ]);
  if (random.chance(0.05))
    members.push([text(random.pick(['jsonrpc', 'method', 'params', 'id'])), value(random, 0)]);
  if (random.chance(0.05)) members.reverse();
  return collection(random, 0x80, members.length, members.flat());
}

function params(random: Random, method: string): Buffer {
  const given = METHODS[method]!.filter((one) => random.chance(one.optional ? 0.5 : 0.98));
  const items = given.map((one) => argument(random, one));
  if (random.chance(0.03)) items.push(value(random, 2));
  return collection(random, 0x90, items.length, items);
}

function argument(random: Random, { type, parameters_of }: Parameter): Buffer {
  if (parameters_of !== undefined) return options(random);
  const item = itemOf(type);
  if (item === undefined) return typed(random, type);
  const items = Array.from({ length: random.below(5) }, () => typed(random, item));
  return collection(random, 0x90, items.length, items);
}

function options(random: Random): Buffer {
  const members = Array.from({ length: random.below(3) }, () => [
    text(random.pick(['limit', 'after', 'since', 'session_id', 'order', 'x']), random),
    random.chance(0.5) ? hex(random.pick(NUMBERS)) : textValue(random, random.pick(['1', 's1', 'asc'])),
  ]);
  return collection(random, 0x80, members.length, members.flat());
}

function typed(random: Random, type: string): Buffer {
  if (random.chance(0.04)) return value(random, 2);
  const members = DICTIONARIES[type];
  if (members) {
    const pairs = Object.entries(members).map(([name, member]) => [
      text(name, random),
      typed(random, member),
    ]);
    if (random.chance(0.1)) pairs.reverse();
    if (random.chance(0.1))
      pairs.splice(random.below(5), random.below(2), [
        text(random.pick(['x', ...Object.keys(members)])),
        value(random, 2),
      ]);
    return collection(random, 0x80, pairs.length, pairs.flat());
  }
  switch (type) {
    case 'long':
    case 'double':
      return hex(random.pick(NUMBERS));
    case 'boolean':
      return hex(random.pick(['c2', 'c3']));
    case 'DOMString':
      return textValue(random, random.pick(['', 'events', 'session:s1', 'a\0b', 'x'.repeat(32)]));
    default:
      return event(random);
  }
}

/** Returns an event for `events.ingest`, whose items may have any value. */
function event(random: Random): Buffer {
  const members = [
    [text('session_id', random), textValue(random, 's1')],
    [text('agent_type', random), textValue(random, 'claude')],
    [text('event_type', random), textValue(random, 'tool_use')],
  ];
  if (random.chance(0.5)) members.push([text('metadata', random), value(random, 0)]);
  return collection(random, 0x80, members.length, members.flat());
}
