/** The load that scenarios offer: a fixed rate, and what the server takes for it. */
import { createHistogram, latencyOf, record } from '../analyse/histogram.ts';
import { createProbe } from '../observe/probe.ts';
import type { Host } from '../run/host.ts';
import { SMALL } from './bodies.ts';
import type { Posted } from './poster-process.ts';
import type { ScenarioContext } from './scenario.ts';

const BATCH = 50;
/**
 * The server holds 1,024 connections, and a thousand of them are the clients'. So few connections post, with many
 * events in each request.
 */
export const CONNECTIONS = 8;

/** Posts at the offered rate for `seconds`. */
export function load(host: Host, { poster, sizes }: ScenarioContext, seconds: number, shape = SMALL) {
  const per_s = sizes.load_events_per_s;
  const requests = Math.max(1, Math.round((per_s * seconds) / BATCH));
  return poster.post(host, { per_s, batch: BATCH, requests, connections: CONNECTIONS, shape });
}

/**
 * Posts at the offered rate for the length of a round. Returns the posts, and figures of the server during the load.
 */
export async function measuredLoad(host: Host, context: ScenarioContext, shape = SMALL) {
  const probe = createProbe();
  const before = await probe(host.pid);
  const posted = await load(host, context, context.sizes.load_s, shape);
  const after = await probe(host.pid);
  const took_ms = posted.ended_ms - posted.started_ms;
  const cpu_us = before.cpu_us === null || after.cpu_us === null ? null : after.cpu_us - before.cpu_us;
  return {
    posted,
    figures: {
      ingest_events_per_s: (posted.events / took_ms) * 1000,
      ingest_p99_ms: answerP99(posted),
      server_cpu_us_per_event: cpu_us === null ? null : cpu_us / posted.events,
      server_cpu_share: cpu_us === null ? null : cpu_us / 1000 / took_ms,
    },
  };
}

/** Returns the p99 of the time from when a post was due to its response. */
function answerP99({ answers }: Posted): number {
  const histogram = createHistogram();
  for (const { from_ms, answered_ms } of answers) record(histogram, answered_ms - from_ms);
  return latencyOf(histogram)!.p99_ms;
}
