/**
 * Pages of events from a real server in each format, and the CPU time of a client that reads them. For comparison, a
 * route echoes the bytes of such a page.
 */
import { ANSWER_FORMATS, type Format } from '@twin-ingest/testkit/codecs/format.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { readAnswer } from '../answers.ts';
import { BenchServer } from '../bench-server.ts';
import type { Request, Sliced } from '../load-process.ts';
import { ingestRequests, rawRequest, readRequest } from '../loader.ts';
import { type Case, measureCases, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type Payload, sourceEvents } from '../source-events.ts';

const PAGE = 1_000;
/** Numbers of rows, and the formats that are read. Only streamed formats have more rows than a page. */
const PAGES: readonly (readonly [rows: number, formats: readonly Format[]])[] = [
  [PAGE, ANSWER_FORMATS],
  [10_000, ['ndjson', 'arrow']],
];
const FILL = 10_000;
const FILL_BATCH = 1_000;

export const readScenario: Scenario = {
  name: 'read',
  async measure(servers, context) {
    for (const payload of context.sizes.payloads) await measureReads(payload, servers, context);
  },
};

async function measureReads(payload: Payload, ...[servers, context]: Parameters<Scenario['measure']>) {
  const events = await sourceEvents(payload, FILL, context.source);
  const fill = { requests: ingestRequests('json', events, FILL_BATCH) };
  const answers = await pageBytes(servers[0]!, fill.requests, context);
  const cases = PAGES.flatMap(([rows, formats]) =>
    formats.flatMap((format): Case[] => {
      const one = { transport: 'tcp', window: 1, count: null, isStored: false } as const;
      const read: Case = {
        parameters: { payload, rows, format, path: 'read' },
        requests: [ask(format, rows)],
        ...one,
        more: (sliced) => ({
          bytes: sliced.bytes_read / sliced.requests,
          ...readingCost(format, rows, sliced),
        }),
      };
      if (rows > PAGE) return [read];
      const requests = [rawRequest('echo', answers.get(format)!, rows)];
      return [read, { parameters: { payload, rows, format, path: 'echo' }, requests, ...one }];
    }),
  );
  await measureCases(servers, cases, context, fill);
}

const ask = (format: Format, rows: number) => readRequest(format, `/api/events?limit=${rows}`, rows);

/** Returns the bytes of a page in each format. */
async function pageBytes(
  name: TargetName,
  fill: readonly Request[],
  { launch, loader }: ScenarioContext,
): Promise<ReadonlyMap<Format, Uint8Array>> {
  const asked = ANSWER_FORMATS.map((format) => [format, [ask(format, PAGE)]] as const);
  await loader.prepare(new Map<string, readonly Request[]>([['fill', fill], ...asked]));
  const server = await BenchServer.start(name, launch, loader);
  const once = { window: 1, seconds: null };
  await server.slice({ key: 'fill', requests: fill.length, ...once }, 'tcp', true);
  const pages = new Map<Format, Uint8Array>();
  for (const format of ANSWER_FORMATS) {
    const { sliced } = await server.slice({ key: format, requests: 1, ...once }, 'tcp', false);
    pages.set(format, sliced.body);
  }
  await server.end();
  return pages;
}

/** Returns the client's cost of reading the body. Reads it twice, and the second time counts. */
function readingCost(format: Format, rows: number, { body }: Pick<Sliced, 'body'>) {
  const bytes = Buffer.from(body);
  readAnswer(format, bytes);
  const from = process.cpuUsage();
  const found = readAnswer(format, bytes).length;
  const { user, system } = process.cpuUsage(from);
  if (found !== rows) throw new RangeError(`${format} has ${found} rows, not ${rows}`);
  return { decode_us_per_event: (user + system) / rows };
}
