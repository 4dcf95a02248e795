/**
 * One round: a fresh process on a fresh database takes the events and stops. Then its file is checked against what was
 * acknowledged and streamed.
 *
 * Invariants: generator, auditor and stream clients are ready before the server is measured. CPU time is read right
 * before the first request and right after the last answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Range } from '../load/bodies.ts';
import type { Generator, Sent } from '../load/drivers/driver.ts';
import { machineLoad, readMachine } from '../observe/machine.ts';
import { observe } from '../observe/observer.ts';
import type { ProbeProcess } from '../observe/probe.ts';
import { checkReads, startReader } from '../observe/reader/reader.ts';
import type { Sample } from '../observe/sample.ts';
import { folderBytes } from '../observe/size.ts';
import { checkStream, type StreamClients, startStreamClients } from '../observe/stream/clients.ts';
import type { Spec } from '../plan/spec.ts';
import { type Auditor, type Claim, checkAudit } from '../verify/audit/auditor.ts';
import { checkDurability, type Health, readHealth } from '../verify/health.ts';
import { type Launch, type Launched, launch } from './launch.ts';
import { warmUp } from './warm-up.ts';

/** How long a server is left alone after its start before its memory counts as idle. */
export const IDLE_MS = 500;

const OBSERVE_MS = { round: 500, soak: 1000 };

export interface RoundContext {
  readonly launch: Launch;
  readonly spec: Spec;
  /** Events of the measurement, warm-up aside. */
  readonly events: number;
  readonly rate_events_per_s: number | null;
  readonly generator: Generator;
  readonly auditor: Auditor;
  readonly probe: ProbeProcess;
  readonly ticksPerSecond: number | null;
  /** A closed database that already holds `preload_events`, or `null`. */
  readonly preloaded: string | null;
  onHealth(label: string, name: TargetName, health: Health): void;
  onProgress(acknowledged: number): void;
}

export async function runRound(round: number, name: TargetName, context: RoundContext): Promise<Sample> {
  const { spec, auditor } = context;
  const { workload } = spec;
  const launched = await launch(name, context.launch, workload, context.preloaded);
  const health = await readHealth(launched.server.url);
  const asking = `${spec.name}, round ${round} of ${name}`;
  checkDurability(asking, health, workload.durability);
  context.onHealth(asking, name, health);
  const clients = await streamClients(launched, context);
  const measured = await measure(launched, context, clients);
  const { wal_peak_bytes, ranges, ...figures } = measured;
  const { warm_up, measured: sent } = figures;
  const acknowledged = warm_up.sent.received_events + sent.received_events;
  await clients?.until(workload.preload_events + acknowledged);
  const stop_ms = await launched.stop();
  const claim: Claim = {
    ranges,
    acknowledged_events: acknowledged,
    preloaded_rows: workload.preload_events,
  };
  // Side by side, since nothing is measured any more: the stream is checked against the file by one thread alone.
  const [audit, stream] = await Promise.all([
    auditor.audit(launched.database, claim),
    clients?.finish(launched.database) ?? null,
  ]);
  const label = `round ${round} of ${name}`;
  const details = [describe('warm-up', warm_up.sent), describe('measured', sent)];
  await checkAudit(audit, label, details, () => auditor.explain(launched.database, claim));
  if (figures.reader !== null) checkReads(figures.reader, label);
  if (stream !== null) checkStream(stream, label, acknowledged, clients!.problems());
  const disk = {
    bytes: await folderBytes(launched.folder),
    events: workload.preload_events + audit.stored_events,
    wal_peak_bytes,
  };
  await launched.discard();
  return {
    round,
    target: name,
    rate_events_per_s: context.rate_events_per_s,
    ...figures,
    stream,
    stop_ms,
    disk,
    audit,
  };
}

async function streamClients(launched: Launched, context: RoundContext): Promise<StreamClients | null> {
  const { lifetime, placement } = context.launch;
  const { stream_clients } = context.spec.workload;
  if (stream_clients === 0) return null;
  const clients = await startStreamClients({
    url: launched.server.url,
    clients: stream_clients,
    lifetime,
    placement,
  });
  await lifetime.orInterrupted(clients.ready());
  return clients;
}

type Measured = Pick<
  Sample,
  | 'at_s'
  | 'warm_up'
  | 'measured'
  | 'server_cpu_us'
  | 'idle_rss_bytes'
  | 'peak_rss_bytes'
  | 'timeline'
  | 'reader'
  | 'machine'
> & {
  readonly wal_peak_bytes: number | null;
  /** Everything that was sent; a driver that drops requests drops the last ones. */
  readonly ranges: readonly Range[];
};

async function measure(
  launched: Launched,
  context: RoundContext,
  clients: StreamClients | null,
): Promise<Measured> {
  const { lifetime, placement } = context.launch;
  const { spec, generator, probe } = context;
  const { server } = launched;
  const soak = spec.mode === 'soak';
  await sleep(IDLE_MS, undefined, { signal: lifetime.signal });
  const idle = await probe(server.pid);
  const send = (range: Range, rate: number | null, onProgress: (events: number) => void) =>
    whileAlive(launched, generator.send({ url: server.url, range, rate_events_per_s: rate }, onProgress));
  const first = spec.workload.preload_events;
  const { warm_up, next } = await warmUp({
    first,
    events: spec.workload.warmup_events,
    batch_size: spec.workload.batch_size,
    rate_events_per_s: context.rate_events_per_s,
    send: (range, rate) => send(range, rate, () => undefined),
  });
  const observer = observe({
    pid: server.pid,
    database: launched.database,
    lag_url: soak ? server.url : null,
    interval_ms: soak ? OBSERVE_MS.soak : OBSERVE_MS.round,
    lifetime,
  });
  const reader = spec.reader ? startReader({ url: server.url, lifetime, placement }) : null;
  await clients?.mark();
  const machineBefore = await readMachine();
  const own = process.cpuUsage();
  const before = await probe(server.pid);
  const at_s = performance.now() / 1000;
  observer.begin();
  const measured = await send(
    { first: next, count: context.events },
    context.rate_events_per_s,
    context.onProgress,
  );
  const after = await probe(server.pid);
  const machineAfter = await readMachine();
  const ownUsed = process.cpuUsage(own);
  const timeline = observer.stop();
  const clients_cpu_us = (await clients?.cpu()) ?? 0;
  const read = reader === null ? null : await reader.stop();
  const known = before.cpu_us !== null && after.cpu_us !== null;
  const server_cpu_us = known ? after.cpu_us! - before.cpu_us! : null;
  const run_us =
    ownUsed.user + ownUsed.system + measured.generator_cpu_us + clients_cpu_us + (read?.cpu_us ?? 0);
  return {
    at_s,
    warm_up,
    measured,
    server_cpu_us,
    idle_rss_bytes: idle.rss_bytes,
    peak_rss_bytes: after.peak_rss_bytes,
    timeline,
    reader: read,
    machine: machineLoad(
      machineBefore,
      machineAfter,
      server_cpu_us === null ? null : server_cpu_us + run_us,
      context.ticksPerSecond,
    ),
    wal_peak_bytes: observer.walPeak,
    ranges: [
      { first, count: warm_up.sent.sent_events },
      { first: next, count: measured.sent_events },
    ],
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
