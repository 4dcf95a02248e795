/** Batches in each format into a real server, compared with the same bytes into routes that do not read them. */
import { REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import type { Request } from '../load-process.ts';
import { ingestRequests, rawRequest } from '../loader.ts';
import { type Case, measureCases, type Scenario } from '../scenario.ts';
import { sourceEvents } from '../source-events.ts';

/** Number of different batches, which are sent in turn. */
const BATCHES = 8;
const WINDOW = 4;

export const ingestScenario: Scenario = {
  name: 'ingest',
  async measure(servers, context) {
    const { sizes, source } = context;
    for (const payload of sizes.payloads) {
      for (const batch of sizes.batches) {
        const events = await sourceEvents(payload, batch * BATCHES, source);
        const cases = REQUEST_FORMATS.flatMap((format): Case[] => {
          const requests = ingestRequests(format, events, batch);
          const of = (path: string, requests: readonly Request[], isStored: boolean): Case => ({
            parameters: { payload, batch, format, path },
            requests,
            transport: 'tcp',
            window: WINDOW,
            count: null,
            isStored,
            more: ({ bytes_sent, requests }) => ({ bytes: bytes_sent / requests }),
          });
          const raw = (route: 'sink' | 'echo') =>
            requests.map((request) => rawRequest(route, request.body, request.events));
          return [
            of('ingest', requests, true),
            of('sink', raw('sink'), false),
            // The route does not read its body, so one format is enough.
            ...(format === 'json' ? [of('echo', raw('echo'), false)] : []),
          ];
        });
        await measureCases(servers, cases, context);
      }
    }
  },
};
