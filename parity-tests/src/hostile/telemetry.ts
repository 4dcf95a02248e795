/** Makes requests of OTLP with hostile attributes at the paths that a mapping reads, and hostile members anywhere. */
import { changed, keysOf, Raw, someChange, writeJson } from '@twin-ingest/testkit/hostile/json.ts';
import { SHORT_VALUES } from '@twin-ingest/testkit/hostile/values.ts';
import { OTLP_MESSAGES, OTLP_REQUESTS, otlpProtobuf } from '@twin-ingest/testkit/otlp/protobuf.ts';
import type { Random } from '@twin-ingest/testkit/random.ts';
import { OTLP_TYPES, type OtlpForm } from '../otlp-case.ts';
import type { Members } from '../otlp-values.ts';
import { anyValueText, oddKey, protobufValue, usualValueText } from './any-values.ts';
import { Pool, startOf, type Target } from './pool.ts';
import { type Reading, readingsOf } from './readings.ts';
import {
  type Attribute,
  baseOf,
  type Example,
  listOf,
  metricsOf,
  PLACES,
  recordsOf,
  requestOf,
  type Signal,
  type Telemetry,
} from './records.ts';

/** Hostile records of a request. */
const RECORDS = 12;
const SIGNALS: readonly Signal[] = ['logs', 'spans'];

/** Returns targets whose requests have many hostile attributes. */
export function attributeTargets(
  agent: string,
  telemetry: Telemetry,
  examples: readonly Example[],
): Target[] {
  const { logs, spans, ...common } = telemetry;
  return SIGNALS.flatMap((signal) => {
    const base = baseOf(telemetry, examples, signal);
    const { path, message } = PLACES[signal];
    const all = readingsOf(common, signal === 'logs' ? logs : spans).map((reading) => ({
      reading,
      pool: new Pool(),
    }));
    let turn = 0;
    const target: Target = (random, serial) => {
      const form = random.chance(0.25) ? 'protobuf' : 'json';
      const whats: string[] = [];
      const records = Array.from({ length: RECORDS }, (_, index) => {
        const { reading, pool } = all[turn++ % all.length]!;
        const named = random.pick(reading.records);
        const own = serial * RECORDS + index;
        const valid = recordsOf(random, telemetry, signal, base, named, own, (of) =>
          form === 'protobuf' ? protobufValue(of) : new Raw(usualValueText(of, of.pick(SHORT_VALUES))),
        );
        const [what, hostile] = withAttribute(random, form, reading, pool.next(random), valid);
        whats.push(what);
        return hostile;
      });
      const full = requestOf(signal, base, records.flat());
      const body =
        form === 'json'
          ? Buffer.from(writeJson(full))
          : otlpProtobuf(path, knownMembers(full, OTLP_REQUESTS[path]!.message));
      return { what: `${agent}, ${message}: ${whats.join('; ')}`, path, type: OTLP_TYPES[form], body };
    };
    // Turns are as frequent as those of single paths.
    return Array.from({ length: Math.ceil(all.length / RECORDS) }, () => target);
  });
}

const WAYS = ['replace', 'before', 'after', 'item', 'key', 'missing', 'alone'] as const;

/** Returns records of which the last, or the first for a path of the parent, has a hostile attribute. */
function withAttribute(
  random: Random,
  form: OtlpForm,
  { path }: Reading,
  text: string,
  records: readonly Members[],
): [what: string, records: readonly Members[]] {
  const keys = keysOf(path);
  const isOfParent = keys[0] === '$parent';
  const [key, ...rest] = isOfParent ? keys.slice(1) : keys;
  const way = random.chance(0.6) ? 'replace' : random.pick(WAYS);
  const hostile = form === 'protobuf' ? protobufValue(random) : new Raw(anyValueText(random, text));
  const value = rest.reduceRight<unknown>(
    (inner, name) => ({ kvlistValue: { values: [{ key: name, value: inner }] } }),
    hostile,
  );
  const own = { key: key!, value };
  const odd = form === 'protobuf' ? {} : new Raw(text);
  const oddlyNamed = { key: form === 'protobuf' ? oddKey(random) : odd, value };
  const changedList = (list: readonly Attribute[]): unknown[] => {
    const others = list.filter((one) => one.key !== key);
    const lists = {
      replace: [...others, own],
      before: [own, ...list],
      after: [...list, own],
      item: [...list, odd],
      key: [...list, oddlyNamed],
      missing: others,
      alone: [own],
    };
    return lists[way];
  };
  const at = isOfParent ? 0 : records.length - 1;
  const shown = hostile instanceof Raw ? hostile.text : JSON.stringify(hostile);
  return [
    `${way} ${path} with ${startOf(shown)}`,
    records.map((record, index) =>
      index === at ? { ...record, attributes: changedList(listOf(record)) } : record,
    ),
  ];
}

/** Returns targets for every member of the messages that a path accepts. */
export function memberTargets(agent: string, telemetry: Telemetry, examples: readonly Example[]): Target[] {
  const ofSignals = SIGNALS.flatMap((signal) => {
    const base = baseOf(telemetry, examples, signal);
    const { logs, spans, ...common } = telemetry;
    const [first] = readingsOf(common, signal === 'logs' ? logs : spans);
    return membersOf(agent, PLACES[signal].path, (random, serial) => {
      const named = random.pick(first!.records);
      const records = recordsOf(random, telemetry, signal, base, named, serial * RECORDS, () => ({}));
      return requestOf(signal, base, records);
    });
  });
  const metrics = metricsOf(baseOf(telemetry, examples, 'logs'));
  return [...ofSignals, ...membersOf(agent, '/v1/metrics', () => metrics)];
}

function membersOf(agent: string, path: string, make: (random: Random, serial: number) => Members): Target[] {
  return memberPaths(OTLP_REQUESTS[path]!.message, []).map((keys) => {
    const pool = new Pool();
    return (random, serial) => {
      const [change, text] = [someChange(random), pool.next(random)];
      const body = Buffer.from(writeJson(changed(make(random, serial), keys, change, text)));
      const what = `${agent}: ${change} ${keys.join('/')} with ${startOf(text)}`;
      return { what, path, type: OTLP_TYPES.json, body };
    };
  });
}

function memberPaths(message: string, before: readonly string[]): string[][] {
  return OTLP_MESSAGES[message]!.flatMap(([, name, type]) => {
    const keys = [...before, name];
    const inner = type.replace('[]', '');
    return [keys, ...(inner in OTLP_MESSAGES && inner !== 'AnyValue' ? memberPaths(inner, keys) : [])];
  });
}

/** Returns a request without the members that `otlp.json` lacks. */
function knownMembers(value: unknown, message: string): Members {
  const fields = OTLP_MESSAGES[message]!;
  const keep = (type: string, one: unknown): unknown =>
    type in OTLP_MESSAGES && typeof one === 'object' && one !== null ? knownMembers(one, type) : one;
  return Object.fromEntries(
    Object.entries(value as Members).flatMap(([name, one]) => {
      const [, , type] = fields.find(([, own]) => own === name) ?? [0, '', ''];
      if (type === '') return [];
      const item = type.replace('[]', '');
      return [[name, Array.isArray(one) ? one.map((each) => keep(item, each)) : keep(item, one)]];
    }),
  );
}
