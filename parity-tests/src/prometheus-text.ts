/**
 * Parses Prometheus' text format 0.0.4 strictly: it accepts only what that format and rule MTR-02 allow
 * (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
 *
 * Each family has HELP, TYPE and at least one sample. A histogram has cumulative buckets, then its sum and its count.
 */
import assert from 'node:assert/strict';

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly value: number;
}

export type Label = readonly [name: string, value: string];

const HEAD = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const NUMBER = /^(?:\+Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Returns the families in their order; throws at the first problem. */
export function parsePrometheus(text: string): Family[] {
  assert.ok(text.endsWith('\n'), 'the last line ends with a line feed');
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  let help: readonly [string, string] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name, rest] = HEAD.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.equal(help, undefined, line);
      help = [name!, rest!];
    } else if (kind === 'TYPE') {
      assert.equal(help?.[0], name, `${line}: HELP precedes TYPE`);
      assert.match(rest!, /^(counter|gauge|histogram)$/, line);
      assert.ok(!families.some((one) => one.name === name), `${line}: once`);
      families.push({ name: name!, help: help![1], type: rest!, samples: [] });
      help = undefined;
    } else {
      assert.equal(help, undefined, line);
      const family = families.at(-1);
      assert.ok(family, line);
      family.samples.push(parseSample(line));
    }
  }
  assert.equal(help, undefined, 'TYPE follows HELP');
  for (const family of families) checkFamily(family);
  return families;
}

function parseSample(line: string): Sample {
  const [, name, inside, number] = SAMPLE.exec(line) ?? [];
  assert.ok(name !== undefined && NUMBER.test(number!), `not a sample: ${line}`);
  const labels: Label[] = [];
  LABEL.lastIndex = 0;
  while (inside !== undefined && LABEL.lastIndex < inside.length) {
    const found = LABEL.exec(inside);
    assert.ok(found, `not labels: ${line}`);
    labels.push([found[1]!, found[2]!]);
  }
  return { name, labels, value: number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number) };
}

function checkFamily({ name, type, samples }: Family): void {
  assert.ok(samples.length > 0, `${name}: has a sample`);
  const keys = samples.map((sample) => seriesKey(sample));
  assert.equal(new Set(keys).size, keys.length, `${name}: each series once`);
  for (const { value } of samples) assert.ok(type === 'gauge' || value >= 0, `${name}: is not negative`);
  if (type !== 'histogram') {
    for (const sample of samples) assert.equal(sample.name, name);
    return;
  }
  let at = 0;
  while (at < samples.length) {
    let [bound, count] = [Number.NEGATIVE_INFINITY, 0];
    while (samples[at]?.name === `${name}_bucket`) {
      const { labels, value } = samples[at++]!;
      const [label, text] = labels.at(-1)!;
      assert.equal(label, 'le', `${name}: the last label of a bucket`);
      const next = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
      assert.ok(next > bound && value >= count, `${name}: buckets rise`);
      [bound, count] = [next, value];
    }
    assert.equal(bound, Number.POSITIVE_INFINITY, `${name}: the last bucket`);
    assert.equal(samples[at++]?.name, `${name}_sum`);
    assert.equal(samples[at]?.name, `${name}_count`);
    assert.equal(samples[at++]!.value, count, `${name}: the last bucket is the count`);
  }
}

/** Returns the name and the labels of a sample, as in the text. */
export function seriesKey({ name, labels }: Sample): string {
  const pairs = labels.map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}

/** Returns the value of every sample by its series. */
export function valuesOf(families: readonly Family[]): Map<string, number> {
  const samples = families.flatMap((family) => family.samples);
  return new Map(samples.map((sample) => [seriesKey(sample), sample.value]));
}
