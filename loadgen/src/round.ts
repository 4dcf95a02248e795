/**
 * One round: a fresh process on a fresh database takes the events, is stopped, and its file is counted.
 *
 * What must stay true: the generator is ready before the server starts, so that its preparations disturb no
 * idle figure; CPU time is read right before the first request and right after the last answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetName } from '../../parity-tests/src/targets.ts';
import { auditFile, checkAudit } from './audit.ts';
import type { Driver, Generator, Job, Sent } from './drivers/driver.ts';
import { BenchFailure } from './failure.ts';
import { readHealth } from './health.ts';
import { type Launch, type Launched, launch, tail } from './launch.ts';
import type { PoolFacts } from './pool.ts';
import type { ProbeProcess } from './probe.ts';
import type { Sample } from './sample.ts';
import { folderBytes } from './size.ts';

/** How long a server is left alone after its start before its memory counts as idle. */
export const IDLE_MS = 500;

export interface RoundContext {
  readonly launch: Launch;
  readonly driver: Driver;
  readonly job: Job;
  readonly probe: ProbeProcess;
  onProgress(acknowledged: number): void;
}

export interface RoundResult {
  readonly sample: Sample;
  readonly pool: PoolFacts;
}

export async function runRound(round: number, name: TargetName, context: RoundContext): Promise<RoundResult> {
  const generator = await context.driver.prepare(context.job);
  const launched = await launch(name, context.launch);
  const measured = await measure(launched, generator, context);
  await generator.close();
  const stop_ms = await launched.stop();
  const disk = { bytes: await folderBytes(launched.folder) };
  const { warm_up, measured: sent } = measured;
  const audit = auditFile(launched.database, {
    expected_events: warm_up.sent_events + sent.sent_events,
    acknowledged_events: warm_up.received_events + sent.received_events,
    expected_event_ids: warm_up.sent_event_ids + sent.sent_event_ids,
  });
  checkAudit(audit, `round ${round} of ${name}`, [describe('warm-up', warm_up), describe('measured', sent)]);
  await launched.discard();
  return { sample: { round, target: name, ...measured, stop_ms, disk, audit }, pool: generator.pool };
}

type Measured = Pick<
  Sample,
  'warm_up' | 'measured' | 'server_cpu_us' | 'idle_rss_bytes' | 'peak_rss_bytes' | 'health'
>;

async function measure(launched: Launched, generator: Generator, context: RoundContext): Promise<Measured> {
  const { options, lifetime } = context.launch;
  const { server } = launched;
  const health = await readHealth(server.url);
  await sleep(IDLE_MS, undefined, { signal: lifetime.signal });
  const idle = await context.probe(server.pid);
  const send = (range: { first: number; count: number }, onProgress: (events: number) => void) =>
    whileAlive(launched, generator.send(server.url, range, onProgress));
  const warm_up = await send({ first: 0, count: options.warmup }, () => undefined);
  const before = await context.probe(server.pid);
  const measured = await send({ first: options.warmup, count: options.events }, context.onProgress);
  const after = await context.probe(server.pid);
  const known = before.cpu_us !== null && after.cpu_us !== null;
  return {
    warm_up,
    measured,
    server_cpu_us: known ? after.cpu_us! - before.cpu_us! : null,
    idle_rss_bytes: idle.rss_bytes,
    peak_rss_bytes: after.peak_rss_bytes,
    health,
  };
}

/** A server that ends under load fails the round at once, instead of request after request. */
async function whileAlive(launched: Launched, sending: Promise<Sent>): Promise<Sent> {
  const ended = launched.server.exited.then((exit) => {
    const how = exit.signal ?? `code ${exit.code}`;
    throw new BenchFailure(
      'server_failed',
      `the server ended under load (${how})`,
      tail(launched.server.stderr()),
    );
  });
  return Promise.race([sending, ended]);
}

function describe(phase: string, sent: Sent): string {
  const codes = Object.entries(sent.status_codes).map(([code, count]) => `${code} x ${count}`);
  return (
    `${phase}: ${sent.requests} requests (${codes.join(', ') || 'no answer'}), ${sent.errors} errors, ` +
    `${sent.timeouts} timeouts; sent ${sent.sent_events}, received ${sent.received_events}, ` +
    `duplicates ${sent.duplicate_events}, rejected ${sent.rejected_events}`
  );
}
