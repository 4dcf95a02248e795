/**
 * Times the pure hot parts one by one: the cost of an event before SQLite, and the cost of its answer after it.
 *
 * `pnpm bench:hot` runs these together with those of the other twin. Both use the same names and the same events.
 */
import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Bench } from 'tinybench';
import { Buffers } from '../src/buffers.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { scanBatch } from '../src/json.ts';
import { batchJson } from '../src/render/outcomes.ts';
import { KeyFilter, KeyHash } from '../src/store/key-filter.ts';
import { readUuid, UUID_BYTES } from '../src/store/submission.ts';
import { validator } from '../src/validate.ts';

const EVENTS = 50;
const MAX_METADATA_BYTES = 10_240;
const FILTER_KEYS = 131_072;
const TIME_MS = 1000;

/** Returns keys that are spread like random ones. */
function key(n: bigint): string {
  const spread = (n + 1n) * 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835n;
  return (spread & ((1n << 128n) - 1n)).toString(16).padStart(32, '0');
}

function uuid(n: number): string {
  return key(BigInt(n)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the event of about 430 bytes in `contract/example-event.json`, with an `event_id` of its own. */
function makeBody(): Buffer {
  const template = readFileSync(
    new URL('../../contract/example-event.json', import.meta.url),
    'utf8',
  ).trimEnd();
  const events = Array.from({ length: EVENTS }, (_, n) =>
    template.replace('00000000-0000-4000-8000-000000000000', uuid(n)),
  );
  return Buffer.from(`{"events":[${events.join(',')}]}`);
}

function scan(body: Buffer, raw: RawEvents): void {
  raw.clear();
  if (!isUtf8(body)) throw new Error('no UTF-8');
  const steps = scanBatch(body, raw, EVENTS);
  let step = steps.next();
  while (!step.done) step = steps.next();
  if (step.value?.count !== EVENTS) throw new Error('no batch');
}

const body = makeBody();
const raw = new RawEvents();
scan(body, raw);
const buffers = new Buffers();
const bench = new Bench({ time: TIME_MS });

bench.add('decode/scan', () => scan(body, raw));
bench.add('decode/validate', () => {
  const table = new EventTable(body, EVENTS, buffers);
  const validate = validator(raw, table, MAX_METADATA_BYTES);
  for (let index = 0; index < EVENTS; index++) validate(index);
  if (table.count !== EVENTS || !isAscii(body)) throw new Error('an invalid event');
  buffers.give(table.memory);
});

const ids = Array.from({ length: EVENTS }, (_, n) => Buffer.from(uuid(n)));
const bytes = Buffer.alloc(UUID_BYTES);
bench.add('dedup/key of a UUID', () => {
  for (const id of ids) readUuid(id, 0, bytes);
});
const texts = Array.from({ length: EVENTS }, (_, n) => `toolu_01MGqJNAucDoKPyZKrzvWL${n}`);
bench.add('dedup/key of a text', () => {
  for (const text of texts) hash('sha256', text, 'buffer');
});
const filter = KeyFilter.forKeys(FILTER_KEYS);
const keyHash = new KeyHash();
function setHash(n: bigint): void {
  const words = Uint32Array.from({ length: 4 }, (_, word) =>
    Number.parseInt(key(n).slice(word * 8, word * 8 + 8), 16),
  );
  keyHash.set(words[0]!, words[1]!, words[2]!, words[3]!);
}
for (let n = 0; n < FILTER_KEYS; n++) {
  setHash(BigInt(n));
  filter.insert(keyHash);
}
const others = Array.from({ length: EVENTS }, (_, n) =>
  Uint32Array.from({ length: 4 }, (_, word) =>
    Number.parseInt(key(BigInt(n) << 40n).slice(word * 8, word * 8 + 8), 16),
  ),
);
let found = 0;
bench.add('dedup/filter of a new key', () => {
  for (const words of others) {
    keyHash.set(words[0]!, words[1]!, words[2]!, words[3]!);
    if (filter.mayContain(keyHash)) found++;
  }
});

const outcomes = { rejected: [], revision: 0, ids: Float64Array.from({ length: EVENTS }, (_, n) => n + 1) };
bench.add('encode/answer', () => {
  batchJson(outcomes, false);
});

await bench.run();
for (const { name, result } of bench.tasks) {
  if (result.state !== 'completed') throw new Error(`${name} did not complete`);
  const ns = (result.latency.p50 * 1e6) / EVENTS;
  process.stdout.write(`${name.padEnd(28)}${ns.toFixed(1).padStart(9)} ns per event\n`);
}
if (found > TIME_MS * 1e6) throw new Error('never');
