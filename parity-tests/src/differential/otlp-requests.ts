/**
 * Generates random OTLP requests, valid and invalid: repeated members, values of other types, fields with other wire
 * types, changed bytes, encodings.
 */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compose, type Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';
import { OTLP_MESSAGES, otlpProtobuf } from '@twin-ingest/testkit/otlp/protobuf.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import LIMITS from '../../../contract/limits.json' with { type: 'json' };
import { OTLP_TYPES } from '../otlp-case.ts';
import { ENCODINGS, TYPES } from './header-pools.ts';
import { otlpMessage } from './otlp-messages.ts';
import { jsonValue, key, nested, oddScalar } from './values.ts';

/** Returns a request to one of the three paths. */
export function otlpUpload(random: Random): Outgoing {
  const { path, request } = otlpMessage(random);
  const form = random.chance(0.5) ? 'json' : 'protobuf';
  const isOdd = random.chance(0.5);
  const oddness = isOdd ? random.pick([0.01, 0.03, 0.1]) : 0;
  const clean =
    form === 'json'
      ? Buffer.from(written(random, request, oddness))
      : otlpProtobuf(path, request, () => (random.chance(oddness) ? anyField(random) : new Uint8Array(0)));
  const body = isOdd && random.chance(0.3) ? changed(random, clean) : clean;
  const type = random.chance(0.03)
    ? random.pick(TYPES)
    : random.chance(0.05)
      ? random.pick(['application/protobuf', 'application/json; charset=utf-8'])
      : OTLP_TYPES[form];
  return sentAs(random, random.chance(0.02) ? random.pick(Object.keys(PATHS)) : path, type, body);
}

const PATHS = { '/v1/logs': 1, '/v1/traces': 1, '/v1/metrics': 1 };

function sentAs(random: Random, path: string, type: string, body: Buffer): Outgoing {
  const headers: Header[] = [
    ['Host', '127.0.0.1'],
    ['Content-Type', type],
  ];
  let sent: Buffer = body;
  if (random.chance(0.1)) {
    const encoding = random.chance(0.7) ? 'gzip' : random.pick(ENCODINGS);
    headers.push(['Content-Encoding', encoding]);
    if (/^gzip$/i.test(encoding)) sent = gzipSync(body);
    if (encoding === 'zstd') sent = zstdCompressSync(body);
    if (random.chance(0.1)) sent = changed(random, sent);
  }
  headers.push(['Content-Length', String(sent.length)]);
  return compose('POST', path, headers, sent);
}

/** Returns the JSON text of a value, with this share of unusual forms. */
function written(random: Random, value: unknown, oddness: number): string {
  const isOdd = (): boolean => random.chance(oddness);
  if (oddness > 0 && random.chance(oddness / 8)) return oddValue(random);
  if (typeof value === 'string' && /^-?\d+$/.test(value) && random.chance(0.2)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => written(random, item, oddness));
    if (isOdd()) items.splice(random.below(items.length + 1), 0, oddValue(random));
    return `[${items.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, item]) => {
    const spelled = isOdd() ? key(random, name) : JSON.stringify(name);
    return `${spelled}:${written(random, item, oddness)}`;
  });
  if (isOdd() && members.length > 0) {
    const [name] = random.pick(Object.entries(value));
    members.splice(random.below(members.length + 1), 0, `${JSON.stringify(name)}:${oddValue(random)}`);
  }
  if (isOdd())
    members.push(`${random.pick(['"unheard"', '"flags"', '""', '"__proto__"'])}:${jsonValue(random)}`);
  return `{${members.join(isOdd() ? ' ,\n' : ',')}}`;
}

function oddValue(random: Random): string {
  const roll = random.next();
  if (roll < 0.3) return oddScalar(random);
  if (roll < 0.4) return nested(random.pick([1, 100, 120, 127, 128]));
  if (roll < 0.6)
    return random.pick([
      '"1"',
      '1',
      '-1',
      '1.0',
      '1e3',
      '9007199254740993',
      '"18446744073709551616"',
      '"0001"',
    ]);
  return jsonValue(random);
}

/** Returns a field with any number and any wire type. Few are known fields with their own type. */
function anyField(random: Random): Buffer {
  const numbers = Object.values(OTLP_MESSAGES).flatMap((fields) => fields.map(([number]) => number));
  const roll = random.next();
  const number =
    roll < 0.7 ? random.pick(numbers) : roll < 0.95 ? random.pick([100, LIMITS.max_field_number]) : 0;
  const wireType = random.chance(0.95) ? random.pick([0, 1, 2, 2, 2, 5]) : random.pick([3, 4, 6, 7]);
  const tag = varint(BigInt(number * 8 + wireType));
  if (wireType === 0)
    return Buffer.concat([tag, varint(random.pick([0n, 1n, 2n, 2n ** 32n + 2n, 2n ** 64n - 1n]))]);
  if (wireType === 2) {
    const content = random.pick(['', 'x', 's1', '\x0a\x01x', '\x18\x02', '\x12\x00']);
    return Buffer.concat([tag, varint(BigInt(content.length)), Buffer.from(content)]);
  }
  return Buffer.concat([tag, Buffer.alloc(wireType === 1 ? 8 : wireType === 5 ? 4 : 0, 7)]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(left)]);
}

/** Returns the bytes with a few of them changed, added or removed, or with the end cut off. */
function changed(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const odd = Buffer.from([random.below(256)]);
  const kind = random.below(5);
  if (kind === 0) return bytes.subarray(0, at);
  if (kind === 1) return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  if (kind === 2) return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
  return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at + 1)]);
}
