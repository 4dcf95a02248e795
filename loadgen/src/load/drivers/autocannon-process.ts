/**
 * Sends events with autocannon, in a closed loop.
 *
 * autocannon stores latencies in whole milliseconds. Its correction for coordinated omission assumes one request per
 * millisecond. Neither is used: this process times each answer to the microsecond, and sets no rate.
 */
import autocannon from 'autocannon';
import type { Load } from './node-generator.ts';

/** autocannon ends at the first tick after the last answer, so the duration is computed from the answers. */
const TICK_MS = 50;

interface Timed {
  sentAt: number;
}

export async function sendByAutocannon({ job, order, requests, tally }: Load): Promise<number> {
  let next = 0;
  const { errors } = await autocannon({
    url: order.url,
    // A short warm-up has few requests. With more connections than requests, some connections would get none.
    connections: Math.min(job.connections, requests.count),
    amount: requests.count,
    timeout: job.timeout_s,
    sampleInt: TICK_MS,
    requests: [
      {
        method: 'POST',
        path: requests.path,
        headers: { 'content-type': 'application/json' },
        // Called once for every request, just before it is written.
        setupRequest(request, context) {
          const number = next++;
          request.body = requests.body(number);
          (context as Timed).sentAt = tally.sent(requests.events(number), request.body.length);
          return request;
        },
        onResponse(status, body, context) {
          tally.answered(status, body, (context as Timed).sentAt);
        },
      },
    ],
  });
  // autocannon counts a refused connection and a timeout, but not a connection that the server closed.
  return Math.max(errors, tally.requests - tally.answers);
}
