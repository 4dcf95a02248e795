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
import { machineLoad, readMachine } from '../observe/machine.ts';
import { observe } from '../observe/observer.ts';
import type { ProbeProcess } from '../observe/probe.ts';
import { checkReads, startReader } from '../observe/reader.ts';
import type { ProcessSample, Slice, WarmUp } from '../observe/sample.ts';
import { folderBytes } from '../observe/size.ts';
import { checkStream, type StreamClients, startStreamClients } from '../observe/stream/clients.ts';
import { startCpu } from '../observe/thread-times.ts';
import type { Spec } from '../plan/spec.ts';
import { type Auditor, checkAudit } from '../verify/audit/auditor.ts';
import { checkDurability, type Health, readHealth } from '../verify/health.ts';
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
  readonly auditor: Auditor;
  readonly probe: ProbeProcess;
  readonly ticksPerSecond: number | null;
  onHealth(label: string, name: TargetName, health: Health): void;
}

/** Events to send, and how. */
export interface Load {
  /** Name of the load in failures. */
  readonly name: string;
  readonly generator: Generator;
  readonly events: number;
  readonly rate_events_per_s: number | null;
}

interface Started extends ServerContext {
  readonly host: Host;
  readonly clients: StreamClients | null;
  readonly idle_rss_bytes: number | null;
}

export class ServerUnderTest {
  readonly name: TargetName;
  readonly #own: Started;
  /** Ranges of all events that were sent. A driver that drops requests drops the last ones of its range. */
  readonly #ranges: Range[] = [];
  /** Lines about each load, for a failure. */
  readonly #details: string[] = [];
  #next = 0;
  #acknowledged = 0;
  #warm_up: WarmUp | null = null;
  #wal_peak_bytes: number | null = null;
  #stopped: Pick<ProcessSample, 'peak_rss_bytes' | 'stop_ms'> | null = null;

  private constructor(own: Started) {
    this.name = own.host.name;
    this.#own = own;
  }

  static async start(name: TargetName, context: ServerContext): Promise<ServerUnderTest> {
    const { spec, round, launch, probe } = context;
    const { durability } = spec.workload;
    const host = await Host.start(name, launch, { flags: ['--durability', durability] });
    const health = await readHealth(host.url);
    const label = `${spec.name}, round ${round} of ${name}`;
    checkDurability(label, health, durability);
    context.onHealth(label, name, health);
    const clients = await streamClients(host, spec, launch);
    await sleep(IDLE_MS, undefined, { signal: launch.lifetime.signal });
    const { rss_bytes: idle_rss_bytes } = await probe(host.pid);
    return new ServerUnderTest({ ...context, host, clients, idle_rss_bytes });
  }

  /** Sends the warm-up of the first spec. Returns the throughput of its fastest part. */
  async warmUp(
    generator: Generator,
    events: number | null,
    rate_events_per_s: number | null,
  ): Promise<number> {
    const { warm_up, pace_events_per_s } = await warmUp({
      events,
      batch_size: this.#own.spec.workload.batch_size,
      rate_events_per_s,
      send: (count, rate) =>
        this.#send({ name: 'warm-up', generator, events: count, rate_events_per_s: rate }),
    });
    this.#warm_up = warm_up;
    return pace_events_per_s;
  }

  /** Measures a slice of a measurement. */
  async measure(spec: Spec, load: Load): Promise<Slice> {
    const { round, launch, probe, ticksPerSecond, clients, host } = this.#own;
    const { lifetime } = launch;
    const { server, database } = host;
    const isSoak = spec.mode === 'soak';
    const observer = observe({
      pid: server.pid,
      database,
      lag_url: isSoak ? server.url : null,
      interval_ms: isSoak ? OBSERVE_MS.soak : OBSERVE_MS.slice,
      lifetime,
    });
    const startedReader = spec.reader ? startReader(server.url, lifetime) : null;
    await clients?.mark();
    const cpu = await startCpu(server.pid, probe);
    const machineBefore = await readMachine();
    const own = process.cpuUsage();
    const at_s = performance.now() / 1000;
    observer.begin();
    const measured = await this.#send(load);
    const server_cpu_us = await cpu();
    const machineAfter = await readMachine();
    const ownUsed = process.cpuUsage(own);
    const timeline = observer.stop();
    const clients_cpu_us = (await clients?.cpu()) ?? 0;
    const reader = startedReader === null ? null : await startedReader.stop();
    if (reader !== null) checkReads(reader, `round ${round} of ${this.name}`);
    if (observer.walPeak !== null)
      this.#wal_peak_bytes = Math.max(this.#wal_peak_bytes ?? 0, observer.walPeak);
    const run_us = ownUsed.user + ownUsed.system + measured.generator_cpu_us + clients_cpu_us;
    const all_us = server_cpu_us === null ? null : server_cpu_us + run_us;
    return {
      round,
      target: this.name,
      at_s,
      rate_events_per_s: load.rate_events_per_s,
      measured,
      server_cpu_us,
      timeline,
      reader,
      clients_cpu_us,
      machine: machineLoad(machineBefore, machineAfter, all_us, ticksPerSecond),
    };
  }

  async stop(): Promise<void> {
    const { probe, clients, host } = this.#own;
    await clients?.until(this.#acknowledged);
    const { peak_rss_bytes } = await probe(host.pid);
    this.#stopped = { peak_rss_bytes, stop_ms: await host.stop() };
  }

  /** Checks the file of the stopped server and removes its folder. */
  async check(): Promise<ProcessSample> {
    const { round, auditor, clients, host, idle_rss_bytes } = this.#own;
    const acknowledged_events = this.#acknowledged;
    const claim = { ranges: this.#ranges, acknowledged_events };
    const [audit, stream] = await Promise.all([
      auditor.audit(host.database, claim),
      clients?.finish(host.database) ?? null,
    ]);
    const label = `round ${round} of ${this.name}`;
    await checkAudit(audit, label, this.#details, () => auditor.explain(host.database, claim));
    if (stream !== null) checkStream(stream, label, acknowledged_events, clients!.problems());
    const disk = {
      bytes: await folderBytes(host.folder),
      events: audit.stored_events,
      wal_peak_bytes: this.#wal_peak_bytes,
    };
    await host.discard();
    const own = { round, target: this.name, warm_up: this.#warm_up!, idle_rss_bytes };
    return { ...own, ...this.#stopped!, stream, disk, audit };
  }

  /** Sends the next events. Fails at once when the server ends, instead of waiting until every request has failed. */
  async #send({ name, generator, events, rate_events_per_s }: Load): Promise<Sent> {
    const { server } = this.#own.host;
    const range = { first: this.#next, count: events };
    const ended = server.exited.then((exit) => {
      const how = exit.signal ?? `code ${exit.code}`;
      throw new BenchFailure('server_failed', `the server ended under load (${how})`, tail(server.stderr()));
    });
    const sending = generator
      .send({ url: server.url, range, rate_events_per_s })
      // The generator may notice the end of the server before this process does.
      .catch((error: unknown) => Promise.race([ended, sleep(EXIT_MS).then(() => Promise.reject(error))]));
    const sent = await Promise.race([sending, ended]);
    this.#ranges.push({ first: range.first, count: sent.sent_events });
    this.#next += events;
    this.#acknowledged += sent.received_events;
    const codes = Object.entries(sent.status_codes).map(([code, count]) => `${code} x ${count}`);
    this.#details.push(
      `${name}: ${sent.requests} requests (${codes.join(', ') || 'no answer'}), ${sent.errors} errors; ` +
        `sent ${sent.sent_events} events, received ${sent.received_events}`,
    );
    return sent;
  }
}

async function streamClients({ url }: Host, { workload }: Spec, { lifetime, placement }: Launch) {
  if (workload.stream_clients === 0) return null;
  const clients = startStreamClients({ url, clients: workload.stream_clients, lifetime, placement });
  await lifetime.orInterrupted(clients.ready());
  return clients;
}
