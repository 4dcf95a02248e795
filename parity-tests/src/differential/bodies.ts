/** Generates bodies of ingest requests: events with unusual fields, batches of them, and mutated bytes. */
import type { Random } from '@twin-ingest/testkit/random.ts';
import CONTRACT from '../../../contract/fields.json' with { type: 'json' };
import { jsonValue, key, nested, number, oddScalar, text, timestamp } from './values.ts';

const OWN: Readonly<Record<string, (random: Random) => string>> = {
  session_id: (random) => text(random, ['s1', 's2', 's3', ' s1 ', 'S1', 's/4 %']),
  agent_type: (random) => text(random, ['claude', 'codex', 'a\u00e9', 'Z', 'z']),
  event_type: (random) =>
    text(random, [
      'tool_use',
      'error',
      'session_start',
      'session_end',
      'llm_response',
      ' tool_use ',
      'Tool_use',
      'x',
    ]),
  status: (random) => text(random, ['success', 'error', 'timeout', ' error', 'ok']),
  event_id: (random) =>
    text(random, ['e1', 'e2', ' e1', uuid(random), uuid(random).toUpperCase(), `e${random.below(1e9)}`]),
  tool_name: (random) => text(random, ['Bash', 'Read', '', 'bash', 'b\u00e2sh']),
  branch: (random) => text(random, ['main', 'dev', ' ']),
  project: (random) => text(random, ['p1', 'p2', '\u{1f600}']),
  model: (random) => text(random, ['m1', 'm2', '']),
  source: (random) => text(random, ['api', 'hook', 'otel', 'import', 'API']),
  metadata,
};

const OF_KIND: Readonly<Record<string, (random: Random) => string>> = { text: someText, timestamp };

/** Generators of values for every field. A field without its own generator uses that of its kind. */
const FIELDS = Object.fromEntries(
  Object.entries(CONTRACT.fields).map(([name, { kind }]) => [name, OWN[name] ?? OF_KIND[kind] ?? number]),
);

const REQUIRED = ['session_id', 'agent_type', 'event_type'];
const OPTIONAL = Object.keys(FIELDS).filter((name) => !REQUIRED.includes(name));
const GOOD: Readonly<Record<string, string>> = {
  session_id: '"s1"',
  agent_type: '"claude"',
  event_type: '"tool_use"',
};

/** Returns the text of one event. Mostly valid, so that both servers store something. */
export function eventText(random: Random): string {
  if (random.chance(0.02)) return oddScalar(random);
  const members = REQUIRED.filter(() => random.chance(0.97)).map((name): [string, string] => [
    name,
    random.chance(0.85) ? GOOD[name]! : FIELDS[name]!(random),
  ]);
  const count = random.below(5);
  for (let index = 0; index < count; index += 1) {
    const name = random.pick(OPTIONAL);
    members.push([name, FIELDS[name]!(random)]);
  }
  if (random.chance(0.05))
    members.push([random.pick(['unknown', '__proto__', 'toString', 'id', '']), jsonValue(random)]);
  // Adds a repeated key, or a key with escapes.
  if (random.chance(0.08)) members.push([random.pick(members)?.[0] ?? 'status', oddScalar(random)]);
  const space = random.chance(0.1) ? random.pick([' ', '\n', '\t\r\n']) : '';
  const written = members.map(
    ([name, value]) => `${space}${key(random, name)}${space}:${space}${value}${space}`,
  );
  return `{${written.join(',')}}`;
}

/** Returns the text of a batch. */
export function batchText(random: Random): string {
  const events = Array.from({ length: random.below(6) }, () => eventText(random)).join(',');
  if (random.chance(0.85)) return `{"events":[${events}]}`;
  return random.pick([
    `[${events}]`,
    `{"events":[${events}],"events":[]}`,
    `{"events":[],"events":[${events}]}`,
    `{"events":{}}`,
    `{"events":null}`,
    '{}',
    'null',
    `{"Events":[${events}]}`,
    `{"\\u0065vents":[${events}]}`,
    `{"x":1,"events":[${events}],"y":[]}`,
    `{"events":[${events},]}`,
    `{"events":[[${events}]]}`,
  ]);
}

/** Returns a body as bytes, sometimes with a byte changed, removed or inserted, or cut off. */
export function mutate(random: Random, body: string): Buffer {
  const bytes = Buffer.from(body);
  if (random.chance(0.85) || bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const odd = Buffer.from([
    random.pick([0, 9, 10, 0x1f, 0x20, 0x22, 0x2c, 0x5c, 0x5d, 0x7d, 0x7f, 0x80, 0xc0, 0xed, 0xff]),
  ]);
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 5:
      return Buffer.concat([bytes, random.pick([Buffer.from(' \r\n'), odd, bytes])]);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.pick(['\ud7ff', '\u00a0', '\u2028', '/**/'])),
        bytes.subarray(at),
      ]);
  }
}

function someText(random: Random): string {
  return text(random, ['t1', 't2', ' t1 ', '']);
}

function metadata(random: Random): string {
  const kind = random.below(12);
  if (kind === 0) return nested(random.pick([1, 100, 125, 126, 127, 128, 129, 200]));
  if (kind === 1) return large(random);
  if (kind === 2) return oddScalar(random);
  return jsonValue(random);
}

/** Returns an object near and above the default limit of 10,240 bytes, with keys that a summary keeps. */
function large(random: Random): string {
  const unit = random.pick(['x', '\u00e9', '\\u00e9', '\u{1f600}', ' ']);
  const filler = `"filler":"${unit.repeat(random.pick([100, 2_000, 5_000, 10_180, 10_230, 11_000]))}"`;
  const keys = [
    'command',
    'file_path',
    'query',
    'pattern',
    'error',
    'message',
    'tool_name',
    'path',
    'type',
    'p\\u0061th',
  ];
  const members = Array.from({ length: random.below(6) }, () => {
    const value = random.chance(0.3)
      ? `"${unit.repeat(random.pick([10, 3_000, 10_000]))}"`
      : jsonValue(random);
    return `"${random.pick(keys)}":${value}`;
  });
  const at = random.below(members.length + 1);
  const all = [...members.slice(0, at), filler, ...members.slice(at)];
  return random.chance(0.9) ? `{${all.join(',')}}` : `["${unit.repeat(11_000)}"]`;
}

function uuid(random: Random): string {
  return `00000000-0000-4000-8000-${String(random.below(50)).padStart(12, '0')}`;
}
