/** Pages of events out of a real server in each format, and what it costs a client to read them. */
import { ANSWER_FORMATS, type Format } from '@twin-ingest/testkit/codecs/format.ts';
import { readAnswer } from '../answers.ts';
import type { Sliced } from '../load-process.ts';
import { ingestRequests, readRequest } from '../loader.ts';
import { type Case, measureCases, type Scenario } from '../scenario.ts';
import { type Payload, sourceEvents } from '../source-events.ts';

/** Rows of an answer; only streamed formats have more than a page. */
const PAGES: readonly (readonly [rows: number, formats: readonly Format[]])[] = [
  [1_000, ANSWER_FORMATS],
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
  const cases = PAGES.flatMap(([rows, formats]) =>
    formats.map(
      (format): Case => ({
        parameters: { payload, rows, format },
        requests: [readRequest(format, `/api/events?limit=${rows}`, rows)],
        transport: 'tcp',
        window: 1,
        count: null,
        isStored: false,
        more: (sliced) => ({
          bytes: sliced.bytes_read / sliced.requests,
          ...readingCost(format, rows, sliced),
        }),
      }),
    ),
  );
  await measureCases(servers, cases, context, fill);
}

/** Two times, of which the second counts. */
function readingCost(format: Format, rows: number, { body }: Pick<Sliced, 'body'>) {
  const bytes = Buffer.from(body);
  readAnswer(format, bytes);
  const from = process.cpuUsage();
  const found = readAnswer(format, bytes).length;
  const { user, system } = process.cpuUsage(from);
  if (found !== rows) throw new RangeError(`${format} has ${found} rows, not ${rows}`);
  return { decode_us_per_event: (user + system) / rows };
}
