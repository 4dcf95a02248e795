/** The size of bodies and responses in each format. */
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { ANSWER_FORMATS, type Format, REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import { BenchServer } from '../bench-server.ts';
import type { Request } from '../load-process.ts';
import { ingestRequests, readRequest } from '../loader.ts';
import type { Scenario } from '../scenario.ts';
import { type Payload, sourceEvents } from '../source-events.ts';

const PAYLOADS: readonly Payload[] = ['real', 'bare', 'small', 'small bare'];
const BODY_EVENTS = 1_000;
/** Number of rows of an export, which is longer than a page. */
const FILL = 10_000;

export const bytesScenario: Scenario = {
  name: 'bytes',
  async measure(servers, { source, launch, loader, add }) {
    for (const payload of PAYLOADS) {
      const events = await sourceEvents(payload, FILL, source);
      const requests = ingestRequests('json', events, BODY_EVENTS);
      for (const server of servers) {
        const body = (format: (typeof REQUEST_FORMATS)[number]) =>
          batchBody(format, events.slice(0, BODY_EVENTS)).length;
        for (const format of REQUEST_FORMATS) {
          const figures = { bytes: [body(format)], json_bytes: [body('json')] };
          add({ server, parameters: { payload, what: 'body', rows: BODY_EVENTS, format }, figures });
        }
        const host = await BenchServer.start(server, launch, loader);
        const asked = (format: Format, rows: number) =>
          readRequest(format, `/api/events?limit=${rows}`, rows);
        const pages = ANSWER_FORMATS.map((format) => [format, BODY_EVENTS] as const);
        const exports = (['ndjson', 'arrow'] as const).map((format) => [format, FILL] as const);
        const all = [...pages, ...exports];
        await loader.prepare(
          new Map<string, readonly Request[]>([
            ['fill', requests],
            ...all.map(([format, rows]) => [`${format} ${rows}`, [asked(format, rows)]] as const),
          ]),
        );
        const once = { window: 1, seconds: null };
        await host.slice({ key: 'fill', requests: requests.length, ...once }, 'tcp', true);
        const lengths = new Map<string, number>();
        for (const [format, rows] of all) {
          const key = `${format} ${rows}`;
          lengths.set(key, (await host.slice({ key, requests: 1, ...once }, 'tcp', false)).sliced.bytes_read);
        }
        await host.end();
        for (const [format, rows] of all) {
          // There is no JSON export. Its NDJSON lines have the same bytes except for the enclosing array.
          const json = lengths.get(rows === FILL ? `ndjson ${FILL}` : `json ${rows}`)!;
          const figures = { bytes: [lengths.get(`${format} ${rows}`)!], json_bytes: [json] };
          add({ server, parameters: { payload, what: 'answer', rows, format }, figures });
        }
      }
    }
  },
};
