/**
 * Checks that a line with any value at any path of a mapping throws nothing and takes bounded time.
 *
 * Its events are valid (rules EVT-01 to EVT-12).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  changed,
  keysOf,
  pathsIn,
  replaced,
  someChange,
  writeJson,
} from '@twin-ingest/testkit/hostile/json.ts';
import { LONG_VALUES, nested, SHORT_VALUES } from '@twin-ingest/testkit/hostile/values.ts';
import { type Random, seededRandom } from '@twin-ingest/testkit/random.ts';
import AGENTS from '../../contract/agents.json' with { type: 'json' };
import CONFIG from '../../contract/config.json' with { type: 'json' };
import FIELDS from '../../contract/fields.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { MAPPINGS } from '../src/import/mapping.ts';
import { type Found, Transcript } from '../src/import/transcript.ts';

type Members = Readonly<Record<string, unknown>>;

interface Transcripts {
  readonly name: { readonly join: readonly string[] };
  readonly records: Members;
}

interface Lines {
  readonly real: readonly string[];
  readonly all: readonly unknown[];
}

const METADATA_BYTES = Number(CONFIG.options.find(({ name }) => name === 'max-metadata-bytes')!.default);
/** A line may be nested deeper than a request. */
const DEEP = [1_000, 30_000].flatMap((levels) => [
  nested(levels),
  nested(levels, '{"a":', '}', '1'),
  nested(levels / 2, '[{"type":', '}]', '"text"'),
]);
const MOST_MS = 2_000;
const UNREAD = ['__proto__', 'constructor', 'toString', 'message/__proto__', 'message/content/toString'];

for (const agent of Object.keys(MAPPINGS)) {
  test(`any value at any path of the transcripts of ${agent} gives valid events in bounded time`, () => {
    const random = seededRandom(1);
    const agents = AGENTS as unknown as Readonly<Record<string, { transcripts: Transcripts }>>;
    const mapping = agents[agent]!.transcripts;
    const { real, all } = linesOf(agent, mapping);
    const lists = [...JSON.stringify(mapping).matchAll(/"each":"([^"]+)"/g)].map(([, path]) => path!);
    const paths = [...pathsIn(mapping), ...UNREAD].flatMap((path) =>
      path.startsWith('$each/') ? lists.map((list) => path.replace('$each', list)) : path,
    );
    let events = 0;
    const check = (text: string, what: string): void => {
      events += eventsOf(agent, [...real, text, real.at(-1)!], what);
    };
    const deepest = nested(500_000);
    for (const text of [...SHORT_VALUES, ...LONG_VALUES, ...DEEP, deepest])
      check(text, `line ${text.slice(0, 60)}`);
    for (const path of paths) {
      const long = LONG_VALUES.filter(() => random.chance(0.05));
      for (const text of [...SHORT_VALUES, ...long, ...DEEP]) check(...hostileLine(random, all, path, text));
    }
    check(...hostileLine(random, all, 'message/content', deepest));
    assert.ok(events > paths.length * SHORT_VALUES.length, `${events} events`);
  });
}

function hostileLine(
  random: Random,
  lines: readonly unknown[],
  path: string,
  text: string,
): [line: string, what: string] {
  const change = someChange(random);
  const line = changed(random.pick(lines), keysOf(path), change, text);
  return [writeJson(line), `${change} ${path} with ${text.slice(0, 60)}`];
}

/** Returns real lines of a transcript, and for each name of the mapping a line that has it. */
function linesOf(agent: string, { name, records }: Transcripts): Lines {
  const file = new URL(`../../contract/agents/${agent}/examples.json`, import.meta.url);
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as {
    examples: { source: string; records: Members[] }[];
  };
  const real = examples.filter(({ source }) => source === 'transcripts').flatMap((one) => one.records);
  const named = Object.keys(records).flatMap((text) =>
    real.map((record) =>
      text
        .split('/')
        .reduce<unknown>((line, part, at) => replaced(line, keysOf(name.join[at]!), () => part), record),
    ),
  );
  return { real: real.map((record) => JSON.stringify(record)), all: [...real, ...named] };
}

/** Reads lines as one file, checks its events, and returns their number. */
function eventsOf(agent: string, lines: readonly string[], what: string): number {
  const transcript = new Transcript(MAPPINGS[agent]!, '/t.jsonl', { problem: () => {}, isCopy: () => false });
  const begun = performance.now();
  const found: Found[] = [];
  for (const [at, text] of lines.entries())
    found.push(...transcript.read({ number: at + 1, text, fault: null, bytes: text.length }));
  found.push(...transcript.end());
  const last = transcript.endOfSession;
  if (last !== null) found.push(last);
  const ms = performance.now() - begun;
  assert.ok(ms < MOST_MS, `${what}: ${ms} ms`);
  for (const { event } of found) assert.deepEqual(problemsOf({ ...event }), [], `${agent}, ${what}`);
  return found.length;
}

interface Spec {
  readonly kind: string;
  readonly required?: boolean;
  readonly bytes?: number;
  readonly values?: string;
}

const SPECS = Object.entries(FIELDS.fields as Readonly<Record<string, Spec>>);
const WORDS = VOCABULARY as unknown as Readonly<Record<string, readonly string[]>>;

/** Returns the fields that no server would accept. */
function problemsOf(event: Members): string[] {
  const unknown = Object.keys(event).filter((name) => !SPECS.some(([field]) => field === name));
  const wrong = SPECS.filter(([name, spec]) => {
    const value = event[name];
    return value === undefined ? spec.required === true : !isValid(spec, value);
  });
  return [...unknown, ...wrong.map(([name]) => `${name}: ${JSON.stringify(event[name])?.slice(0, 200)}`)];
}

function isValid({ kind, bytes = Number.POSITIVE_INFINITY, values }: Spec, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string' && isText(value) && Buffer.byteLength(value.trim()) <= bytes;
    case 'choice':
      return WORDS[values!]!.includes(value as string);
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'dollars':
      return typeof value === 'number' && value >= 0 && value <= LIMITS.max_cost_usd;
    case 'timestamp':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
    default:
      return kind === 'json' && Buffer.byteLength(JSON.stringify(value)) <= METADATA_BYTES;
  }
}

function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0') && text.trim() !== '';
}
