/**
 * One process of a server in a round. It starts on a fresh database, takes a warm-up and slices of load, and stops.
 * Then its file is checked against what was acknowledged and streamed.
 *
 * Invariants: generator, auditor and stream clients are ready before anything is measured. No two slices share an
 * event. CPU time is read right before the first request and right after the last answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import type { Range } from '../load/bodies.ts';
import type { Generator, Sent } from '../load/drivers/driver.ts';
import { observe } from '../observe/observer.ts';
import { machineLoad, probe, readMachine, startCpu } from '../observe/probe.ts';
import { startReader } from '../observe/reader.ts';
import type { ProcessSample, Slice, WarmUp } from '../observe/sample.ts';
import { folderBytes } from '../observe/size.ts';
import { startStreamClients } from '../observe/stream/clients.ts';
import type { Spec } from '../plan/spec.ts';
import type { Auditor } from '../verify/audit/auditor.ts';
import { type EffectiveSettings, readHealth } from '../verify/health.ts';
import { Host, type Launch } from './host.ts';
import { warmUp } from './warm-up.ts';

/** Milliseconds without requests after the start, before the idle memory is measured. */
const IDLE_MS = 500;

/** Milliseconds after a failure of the generator in which an end of the server counts as the cause. */
const EXIT_MS = 500;

const OBSERVE_MS = { slice: 500, soak: 1000 };

export interface ServerContext {
  readonly round: number;
  /** The first measurement in the process, which determines the settings. */
  readonly spec: Spec;
  readonly launch: Launch;
  /** The settings that all processes must have. */
  readonly settings: EffectiveSettings;
  readonly auditor: Auditor;
}

interface Load {
  readonly generator: Generator;
  readonly events: number;
  readonly rate_events_per_s: number | null;
}

export type ServerUnderTest = Awaited<ReturnType<typeof startUnderTest>>;

export async function startUnderTest(name: TargetName, context: ServerContext) {
  const { spec: first, round, launch, settings, auditor } = context;
  const { lifetime } = launch;
  const { durability, batch_size, stream_clients } = first.workload;
  const label = `round ${round} of ${name}`;
  const host = await Host.start(name, launch, { flags: ['--durability', durability] });
  const { server, url, pid, database } = host;
  settings.add(`${first.name}, ${label}`, await readHealth(url), durability);
  const clients = stream_clients === 0 ? null : await startStreamClients(url, stream_clients, launch);
  await sleep(IDLE_MS, undefined, { signal: lifetime.signal });
  const { rss_bytes: idle_rss_bytes } = await probe(pid);

  /** Ranges of all events that were sent. A driver that drops requests drops the last ones of its range. */
  const ranges: Range[] = [];
  /** Lines about each load, for a failure. */
  const details: string[] = [];
  let [next, acknowledged_events] = [0, 0];
  let warm_up: WarmUp;
  let wal_peak_bytes: number | null = null;
  let stopped: Pick<ProcessSample, 'peak_rss_bytes' | 'stop_ms'>;

  /** Sends the next events. Fails at once when the server ends, instead of waiting until every request has failed. */
  async function send(what: string, { generator, events, rate_events_per_s }: Load): Promise<Sent> {
    const range = { first: next, count: events };
    const ended = server.exited.then((exit) => {
      const how = exit.signal ?? `code ${exit.code}`;
      throw new BenchFailure('server_failed', `the server ended under load (${how})`, tail(server.stderr()));
    });
    const sending = generator
      .send({ url, range, rate_events_per_s })
      // The generator may notice the end of the server before this process does.
      .catch((error: unknown) => Promise.race([ended, sleep(EXIT_MS).then(() => Promise.reject(error))]));
    const sent = await Promise.race([sending, ended]);
    ranges.push({ first: range.first, count: sent.sent_events });
    next += events;
    acknowledged_events += sent.received_events;
    const codes = Object.entries(sent.status_codes).map(([code, count]) => `${code} x ${count}`);
    details.push(
      `${what}: ${sent.requests} requests (${codes.join(', ') || 'no answer'}), ${sent.errors} errors; ` +
        `sent ${sent.sent_events} events, received ${sent.received_events}`,
    );
    return sent;
  }

  return {
    name,

    /** Sends the warm-up of the first spec. Returns the throughput of its fastest part. */
    async warmUp(generator: Generator, events: number | null, rate: number | null): Promise<number> {
      const warmed = await warmUp({
        events,
        batch_size,
        rate_events_per_s: rate,
        send: (count, rate_events_per_s) => send('warm-up', { generator, events: count, rate_events_per_s }),
      });
      warm_up = warmed.warm_up;
      return warmed.pace_events_per_s;
    },

    async measure(spec: Spec, load: Load): Promise<Slice> {
      const isSoak = spec.mode === 'soak';
      const interval_ms = OBSERVE_MS[isSoak ? 'soak' : 'slice'];
      const stopReader = isSoak ? startReader(url, label, lifetime) : null;
      await clients?.ask('mark');
      const cpu = await startCpu(pid);
      const machineBefore = await readMachine();
      const own = process.cpuUsage();
      const at_s = performance.now() / 1000;
      const stopObserver = observe(host, isSoak ? url : null, interval_ms, lifetime);
      const measured = await send(spec.name, load);
      const server_cpu_us = await cpu();
      const machineAfter = await readMachine();
      const ownUsed = process.cpuUsage(own);
      const timeline = stopObserver();
      const clients_cpu_us = (await clients?.ask('cpu')) ?? 0;
      const reader = (await stopReader?.()) ?? null;
      const logs = timeline.wal_bytes.filter((bytes) => bytes !== null);
      if (logs.length > 0) wal_peak_bytes = Math.max(wal_peak_bytes ?? 0, ...logs);
      const run_us = ownUsed.user + ownUsed.system + measured.generator_cpu_us + clients_cpu_us;
      const all_us = server_cpu_us === null ? null : server_cpu_us + run_us;
      return {
        round,
        target: name,
        at_s,
        rate_events_per_s: load.rate_events_per_s,
        measured,
        server_cpu_us,
        timeline,
        reader,
        clients_cpu_us,
        machine: machineLoad(machineBefore, machineAfter, all_us),
      };
    },

    async stop(): Promise<void> {
      await clients?.ask('until', acknowledged_events);
      const { peak_rss_bytes } = await probe(pid);
      stopped = { peak_rss_bytes, stop_ms: await host.stop() };
    },

    /** Checks the file of the stopped server and removes its folder. */
    async check(): Promise<ProcessSample> {
      const streamed = clients?.ask('finish', database, label, acknowledged_events);
      // The failure of the audit says more, so the audit is awaited first.
      streamed?.catch(() => undefined);
      const claim = { name: label, file: database, ranges, acknowledged_events, details };
      const audit = await auditor.ask('audit', claim);
      const stream = (await streamed) ?? null;
      await clients?.close();
      const disk = { bytes: await folderBytes(host.folder), events: audit.events, wal_peak_bytes };
      await host.discard();
      return { round, target: name, warm_up, idle_rss_bytes, ...stopped, stream, disk, audit };
    },
  };
}
