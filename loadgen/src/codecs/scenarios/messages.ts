/** Small messages, one event each: all at once as procwire sent them, then with a bounded number in flight. */
import { TRANSPORTS } from '../bench-server.ts';
import { ingestRequests } from '../loader.ts';
import { type Case, measureCases, type Scenario } from '../scenario.ts';
import { sourceEvents } from '../source-events.ts';

/** Number of different events, which are sent in turn. */
const EVENTS = 16;

export const messageScenario: Scenario = {
  name: 'messages',
  async measure(servers, context) {
    const { sizes, source } = context;
    const events = await sourceEvents('small', EVENTS, source);
    const cases = sizes.message_formats.flatMap((format) => {
      const requests = ingestRequests(format, events, 'single');
      const of = (transport: (typeof TRANSPORTS)[number], window: number, count: number | null): Case => ({
        parameters: { format, transport, ...(count === null ? { in_flight: window } : { at_once: count }) },
        requests,
        transport,
        window,
        count,
        isStored: true,
      });
      return TRANSPORTS.flatMap((transport) => [
        ...sizes.at_once.map((count) => of(transport, count, count)),
        ...sizes.windows.map((window) => of(transport, window, null)),
      ]);
    });
    await measureCases(servers, cases, context);
  },
};
