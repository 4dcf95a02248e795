/** Small events as a stream through one pipe into a server's standard input, which stores them durably. */
import { pipeThrough } from '../pipe-server.ts';
import type { Scenario } from '../scenario.ts';
import { sourceEvents } from '../source-events.ts';

/** Number of events in one write of lines, and in one frame. */
const CHUNK = 100;
/** Number of different chunks, which are sent in turn. */
const CHUNKS = 10;

export const pipeScenario: Scenario = {
  name: 'pipe',
  async measure(servers, context) {
    const { sizes, source, add } = context;
    const events = await sourceEvents('small', CHUNK * CHUNKS, source);
    const load = { count: Math.ceil(sizes.pipe_events / CHUNK), runs: sizes.pipe_runs };
    for (const format of ['ndjson', 'protobuf'] as const) {
      for (const server of servers) {
        const figures = await pipeThrough(server, format, events, CHUNK, load, context);
        add({ server, parameters: { format, events_in_chunk: CHUNK }, figures });
      }
    }
  },
};
