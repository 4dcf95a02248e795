/**
 * Each transport (TCP, Unix socket, standard input) with each format, and with JSON that the server does not read
 * (`none`).
 */
import { REQUEST_FORMATS, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { TRANSPORTS } from '../bench-server.ts';
import type { Request } from '../load-process.ts';
import { ingestRequests, rawRequest } from '../loader.ts';
import { PIPE_FORMATS, pipeThrough } from '../pipe-server.ts';
import { type Case, measureCases, type Scenario } from '../scenario.ts';
import { sourceEvents, upTo } from '../source-events.ts';

/** Number of different batches, which are sent in turn. */
const BATCHES = 4;
const WINDOW = 8;
/** Bytes through one pipe. `MOST_BATCHES` limits the number of batches. */
const PIPE_BYTES = 24_000_000;
const MOST_BATCHES = 8_000;

export const transportScenario: Scenario = {
  name: 'transport',
  async measure(servers, context) {
    const { sizes, source, add } = context;
    const cases: Case[] = [];
    for (const size of sizes.transport_bytes) {
      const all = await sourceEvents('real', Math.ceil((size * BATCHES) / 400), source);
      const batch = upTo(all, size).length;
      const events = all.slice(0, batch * BATCHES);
      const push = (format: RequestFormat | 'none', requests: readonly Request[]) => {
        for (const transport of TRANSPORTS)
          cases.push({
            parameters: { size, format, transport },
            requests,
            transport,
            window: WINDOW,
            count: null,
            isStored: format !== 'none',
          });
      };
      for (const format of REQUEST_FORMATS) push(format, ingestRequests(format, events, batch));
      const unread = ingestRequests('json', events, batch);
      push(
        'none',
        unread.map(({ body, events }) => rawRequest('sink', body, events)),
      );
      const count = Math.ceil(Math.min(MOST_BATCHES, PIPE_BYTES / size) * Math.min(1, sizes.slice_s * 4));
      for (const format of PIPE_FORMATS) {
        for (const server of servers) {
          const figures = await pipeThrough(
            server,
            format,
            events,
            batch,
            { count, runs: sizes.pairs },
            context,
          );
          add({ server, parameters: { size, format, transport: 'stdin' }, figures });
        }
      }
    }
    await measureCases(servers, cases, context);
  },
};
