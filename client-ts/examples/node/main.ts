/**
 * Sends three events to a server and reads them from its live stream; ends once they arrive.
 *
 *     node main.ts http://127.0.0.1:3141
 */
import { iterateEvents, Sender } from '@twin-ingest/client';

const [baseUrl = 'http://127.0.0.1:3141'] = process.argv.slice(2);
const TOOLS = ['Read', 'Edit', 'Bash'];
const session_id = `example-${crypto.randomUUID()}`;

const sender = new Sender({
  baseUrl,
  onRejected: (event, problems) => console.error('never taken:', event, problems),
  onState: (state, error, wait_ms) => console.error(state, error ?? '', wait_ms),
});

let isSent = false;
const events = iterateEvents({
  baseUrl,
  filter: { session_id },
  onState(state) {
    // Without `from` the stream starts at the newest event, so it would not contain earlier ones.
    if (state !== 'open' || isSent) return;
    isSent = true;
    for (const tool_name of TOOLS)
      sender.send({ session_id, agent_type: 'example', event_type: 'tool_use', tool_name });
  },
});

let came = 0;
for await (const { row } of events) {
  console.log(`event ${row.id}: ${row.tool_name}`);
  if (++came === TOOLS.length) break;
}
await sender.flush();
console.log(`${sender.counts.stored} stored, the state has them from revision ${sender.revision} on`);
sender.stop();
