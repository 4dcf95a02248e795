/**
 * Tests records of every entry of every mapping, and random ones: the answer, each row, its metadata byte for byte,
 * and the counts of `/api/health`. A third implementation of the rules checks them.
 */
import assert from 'node:assert/strict';
import { itemSpans, memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { keysOf, type OtlpMessage, otlpMessage } from '../../src/differential/otlp-messages.ts';
import { type Computed, type Rule, rulesOf } from '../../src/mapped-value.ts';
import { matchJson } from '../../src/match.ts';
import { AGENTS, type Agent } from '../../src/otlp-agents.ts';
import type { OtlpForm } from '../../src/otlp-case.ts';
import { FORMS, otlpBody, postOtlp, requireAnswer, telemetryOf } from '../../src/otlp-client.ts';
import { otlpOutcomes } from '../../src/otlp-outcome.ts';
import { answerTo, TelemetryCounts } from '../../src/otlp-telemetry.ts';
import type { Members } from '../../src/otlp-values.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

const TIME = 1_771_438_001_231;
const RANDOM_REQUESTS = 1_500;

/** Tests one entry after the other, with every key that its mapping has. */
export async function everyEntry(context: ScenarioContext): Promise<void> {
  const messages = AGENTS.flatMap((agent) => [...entriesOf(agent, 'logs'), ...entriesOf(agent, 'spans')]);
  await check(context, messages, (index) => FORMS[index % 2]!);
  context.note(`${messages.length} entries`);
}

export async function randomRecords(context: ScenarioContext): Promise<void> {
  const random = seededRandom(context.options.seed);
  const messages = Array.from({ length: RANDOM_REQUESTS }, () => otlpMessage(random));
  await check(context, messages, () => random.pick(FORMS));
}

async function check(
  context: ScenarioContext,
  messages: readonly OtlpMessage[],
  formOf: (index: number) => OtlpForm,
): Promise<void> {
  const client = context.client(await context.start());
  const counts = new TelemetryCounts();
  let last = 0;
  for (const [index, message] of messages.entries())
    last = await checkOne(client, message, formOf(index), counts, last);
  assert.deepEqual(matchJson(counts.expected(), await telemetryOf(client)), [], 'telemetry of /api/health');
  context.note(`${messages.length} requests, ${last} rows`);
}

/** Checks one request, and returns the id of the newest row. */
async function checkOne(
  client: ApiClient,
  { path, request }: OtlpMessage,
  form: OtlpForm,
  counts: TelemetryCounts,
  last: number,
): Promise<number> {
  const what = `${form} ${path} ${JSON.stringify(request)}`;
  const reply = await postOtlp(client, form, path, otlpBody(form, path, request));
  if (path === '/v1/metrics') {
    requireAnswer(reply, form, 200, {});
    counts.addPoints(request);
    return last;
  }
  const signal = path === '/v1/logs' ? 'logs' : 'spans';
  const outcomes = otlpOutcomes(signal, request);
  requireAnswer(reply, form, 200, answerTo(path, outcomes), what);
  const expected = counts.add(signal, outcomes);
  const rows = itemSpans(
    memberText((await client.get(`/api/events?after=${last}&limit=1000`)).text, 'events')!,
  );
  assert.equal(rows.length, expected.length, `rows of ${what}`);
  for (const [index, { row, metadata }] of expected.entries()) {
    assert.deepEqual(matchJson(row, JSON.parse(rows[index]!)), [], `row ${index} of ${what}`);
    assert.equal(memberText(rows[index]!, 'metadata'), metadata, `metadata ${index} of ${what}`);
  }
  return rows.length === 0 ? last : Number(memberText(rows.at(-1)!, 'id'));
}

/** Returns requests for each entry, one for each of a few values of its condition keys. */
function entriesOf(agent: Agent, signal: 'logs' | 'spans'): OtlpMessage[] {
  let at = TIME;
  const group = {
    scope: agent.scopes[0] ?? 'other',
    resource: { 'service.name': agent.services[0] ?? 'shop' },
  };
  const nameKey = agent.name.from[0]!;
  const messages: OtlpMessage[] = [];
  for (const name of Object.keys(agent[signal])) {
    const rules = rulesOf(agent[signal], name)!;
    for (const rule of rules.length === 0 ? [NOISE] : rules) {
      const fixed = Object.fromEntries(
        Object.entries(rule.match ?? {}).map(([key, text]) => [key, text === '*' ? 7 : [text].flat()[0]]),
      );
      const [key, texts] = decisionOf(rule);
      for (const text of [undefined, 'accept', ...texts]) {
        at++;
        const decided = key === undefined || text === undefined ? {} : { [key]: text };
        const all = Object.fromEntries(
          keysOf(agent, signal).map((key, index) => [key, valueAt(key, at, index)]),
        );
        const named = agent.prefix === '' || signal === 'logs' ? { [nameKey]: name } : {};
        const attributes: Members = { ...all, ...decided, ...fixed, ...named };
        const record =
          signal === 'logs' ? logAt(at, attributes) : spanAt(at, agent.prefix + name, attributes);
        messages.push({
          path: signal === 'logs' ? '/v1/logs' : '/v1/traces',
          request: otlpRequest({ ...group, [signal]: [record] }),
        });
      }
    }
  }
  return messages;
}

const NOISE: Rule = { event_type: 'noise' };

/** Returns the attribute that a rule's status depends on, and the texts that it compares. */
function decisionOf({ fields = {} }: Rule): [key: string | undefined, texts: readonly string[]] {
  const { match = {}, unless = {} } = (fields.status ?? {}) as Computed;
  const texts = [...Object.values(match), ...Object.values(unless)].flat().filter((text) => text !== '*');
  return [Object.keys(match)[0], texts];
}

/** Returns a number for counts, otherwise a distinct text. */
function valueAt(key: string, at: number, index: number): unknown {
  if (/token|_ms$|sequence/.test(key)) return 1_000 * index + (at % 1_000);
  if (key === 'cost_usd') return 0.25;
  return /session|conversation/.test(key) ? 'session' : `${key || 'none'}-${at}`;
}

function logAt(at: number, attributes: Members): Members {
  return { timeUnixNano: `${at}000000`, observedTimeUnixNano: `${at}000001`, body: 'a sentence', attributes };
}

function spanAt(at: number, name: string, attributes: Members): Members {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: at.toString(16).padStart(16, '0'),
    parentSpanId: (at - 1).toString(16).padStart(16, '0'),
    name,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 25}000000`,
    attributes,
  };
}
