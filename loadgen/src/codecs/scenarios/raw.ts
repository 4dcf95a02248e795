/**
 * Bytes that no server reads, compared with JSON of the same size that it stores. One request after the other, as
 * procwire sent them.
 */
import { REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import type { Request } from '../load-process.ts';
import { ingestRequests, rawRequest } from '../loader.ts';
import { type Case, measureCases, type Scenario } from '../scenario.ts';
import { procwireEvents, procwirePayload, sourceEvents, upTo } from '../source-events.ts';

/** Above this size, procwire's payload is stored only in `raw_formats`. */
const LARGE_BYTES = 1_000_000;

export const rawScenario: Scenario = {
  name: 'raw',
  async measure(servers, context) {
    const { sizes, source } = context;
    const cases: Case[] = [];
    const push = (
      size: number,
      payload: string,
      format: string,
      path: string,
      request: Request,
      isStored: boolean,
    ) =>
      cases.push({
        parameters: { size, payload, format, path },
        requests: [request],
        transport: 'tcp',
        window: 1,
        count: null,
        isStored,
      });
    for (const size of sizes.raw_bytes) {
      const body = Buffer.from(JSON.stringify(procwirePayload(size)));
      for (const route of ['sink', 'echo'] as const)
        push(size, 'procwire', 'none', route, rawRequest(route, body, 1), false);
      for (const format of size > LARGE_BYTES ? sizes.raw_formats : REQUEST_FORMATS) {
        const [procwire] = ingestRequests(format, procwireEvents(size, 1), 1);
        push(size, 'procwire', format, 'ingest', procwire!, true);
      }
      for (const format of sizes.raw_formats) {
        const events = upTo(await sourceEvents('real', Math.ceil(size / 400), source), size);
        const [real] = ingestRequests(format, events, events.length);
        push(size, 'real', format, 'ingest', real!, true);
      }
    }
    await measureCases(servers, cases, context);
  },
};
