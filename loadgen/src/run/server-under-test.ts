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
import { type Auditor, type Claim, checkAudit } from '../verify/audit/auditor.ts';
import { checkDurability, type Health, readHealth } from '../verify/health.ts';
import { Host, type Launch } from './host.ts';
import { warmUp } from './warm-up.ts';

/** Milliseconds without requests after the start, before the idle memory is measured. */
export const IDLE_MS = 500;

/** Milliseconds after a failure of the generator in which an end of the server counts as the cause. */
const EXIT_MS = 500;

const OBSERVE_MS = { slice: 500, soak: 1000 };

export interface ServerContext {
  readonly launch: Launch;
  readonly auditor: Auditor;
  readonly probe: ProbeProcess;
  readonly ticksPerSecond: number | null;
  onHealth(label: string, name: TargetName, health: Health): void;
}

/** The load of one slice. */
export interface SliceLoad {
  readonly spec: Spec;
  readonly generator: Generator;
  readonly events: number;
  readonly rate_events_per_s: number | null;
  onProgress(acknowledged: number): void;
}

export class ServerUnderTest {
  readonly name: TargetName;
  readonly #own: Started;
  readonly #host: Host;
  readonly #clients: StreamClients | null;
  /** Ranges of all events that were sent. A driver that drops requests drops the last ones of its range. */
  readonly #ranges: Range[] = [];
  readonly #details: string[] = [];
  #next = 0;
  #acknowledged = 0;
  #warm_up: WarmUp | null = null;
  #wal_peak_bytes: number | null = null;

  private constructor(name: TargetName, own: Started) {
    this.name = name;
    this.#own = own;
    this.#host = own.host;
    this.#clients = own.clients;
  }

  /** Starts a server. `spec` is the first measurement in the process and determines its settings. */
  static async start(
    round: number,
    name: TargetName,
    spec: Spec,
    context: ServerContext,
  ): Promise<ServerUnderTest> {
    const flags = ['--durability', spec.workload.durability];
    const host = await Host.start(name, context.launch, { flags });
    const health = await readHealth(host.url);
    const label = `${spec.name}, round ${round} of ${name}`;
    checkDurability(label, health, spec.workload.durability);
    context.onHealth(label, name, health);
    const clients = await streamClients(host, spec, context.launch);
    await sleep(IDLE_MS, undefined, { signal: context.launch.lifetime.signal });
    const { rss_bytes: idle_rss_bytes } = await context.probe(host.pid);
    return new ServerUnderTest(name, { round, spec, context, host, clients, idle_rss_bytes });
  }

  /** Sends the warm-up of the first spec. */
  async warmUp(
    load: Pick<SliceLoad, 'generator' | 'rate_events_per_s'>,
    events: number | null,
  ): Promise<WarmUp> {
    const { batch_size } = this.#own.spec.workload;
    const { warm_up, next } = await warmUp({
      first: this.#next,
      events,
      batch_size,
      rate_events_per_s: load.rate_events_per_s,
      send: (range, rate) => this.#send(load.generator, range, rate, () => undefined),
    });
    this.#record('warm-up', next - this.#next, warm_up.sent);
    this.#warm_up = warm_up;
    return warm_up;
  }

  async measure(load: SliceLoad): Promise<Slice> {
    const { round, context } = this.#own;
    const { lifetime } = context.launch;
    const { spec } = load;
    const { server, database } = this.#host;
    const isSoak = spec.mode === 'soak';
    const observer = observe({
      pid: server.pid,
      database,
      lag_url: isSoak ? server.url : null,
      interval_ms: isSoak ? OBSERVE_MS.soak : OBSERVE_MS.slice,
      lifetime,
    });
    const reader = spec.reader ? startReader(server.url, lifetime) : null;
    await this.#clients?.mark();
    const cpu = await startCpu(server.pid, context.probe);
    const machineBefore = await readMachine();
    const own = process.cpuUsage();
    const at_s = performance.now() / 1000;
    observer.begin();
    const range = { first: this.#next, count: load.events };
    const measured = await this.#send(load.generator, range, load.rate_events_per_s, load.onProgress);
    const server_cpu_us = await cpu();
    const machineAfter = await readMachine();
    const ownUsed = process.cpuUsage(own);
    const timeline = observer.stop();
    const clients_cpu_us = (await this.#clients?.cpu()) ?? 0;
    const read = reader === null ? null : await reader.stop();
    if (read !== null) checkReads(read, `round ${round} of ${this.name}`);
    if (observer.walPeak !== null)
      this.#wal_peak_bytes = Math.max(this.#wal_peak_bytes ?? 0, observer.walPeak);
    this.#record(spec.name, load.events, measured);
    const run_us = ownUsed.user + ownUsed.system + measured.generator_cpu_us + clients_cpu_us;
    return {
      round,
      target: this.name,
      at_s,
      rate_events_per_s: load.rate_events_per_s,
      measured,
      server_cpu_us,
      timeline,
      reader: read,
      clients_cpu_us,
      machine: machineLoad(
        machineBefore,
        machineAfter,
        server_cpu_us === null ? null : server_cpu_us + run_us,
        context.ticksPerSecond,
      ),
    };
  }

  /** Stops the server, checks its file and removes its folder. */
  async finish(): Promise<ProcessSample> {
    const { round, context, host, idle_rss_bytes } = this.#own;
    const { auditor, probe } = context;
    const acknowledged = this.#acknowledged;
    await this.#clients?.until(acknowledged);
    const { peak_rss_bytes } = await probe(host.pid);
    const stop_ms = await host.stop();
    const claim: Claim = { ranges: this.#ranges, acknowledged_events: acknowledged };
    // Both checks run in parallel, since nothing is measured any more. The check of the stream uses only one thread.
    const [audit, stream] = await Promise.all([
      auditor.audit(host.database, claim),
      this.#clients?.finish(host.database) ?? null,
    ]);
    const label = `round ${round} of ${this.name}`;
    await checkAudit(audit, label, this.#details, () => auditor.explain(host.database, claim));
    if (stream !== null) checkStream(stream, label, acknowledged, this.#clients!.problems());
    const disk = {
      bytes: await folderBytes(host.folder),
      events: audit.stored_events,
      wal_peak_bytes: this.#wal_peak_bytes,
    };
    await host.discard();
    return {
      round,
      target: this.name,
      warm_up: this.#warm_up!,
      idle_rss_bytes,
      peak_rss_bytes,
      stream,
      stop_ms,
      disk,
      audit,
    };
  }

  #record(phase: string, count: number, sent: Sent): void {
    this.#ranges.push({ first: this.#next, count: sent.sent_events });
    this.#next += count;
    this.#acknowledged += sent.received_events;
    this.#details.push(describe(phase, sent));
  }

  /** Sends a range of events. Fails at once when the server ends, instead of waiting until every request has failed. */
  #send(
    generator: Generator,
    range: Range,
    rate_events_per_s: number | null,
    onProgress: (events: number) => void,
  ): Promise<Sent> {
    const { server } = this.#host;
    const ended = server.exited.then((exit) => {
      const how = exit.signal ?? `code ${exit.code}`;
      throw new BenchFailure('server_failed', `the server ended under load (${how})`, tail(server.stderr()));
    });
    const sending = generator
      .send({ url: server.url, range, rate_events_per_s }, onProgress)
      // The generator may notice the end of the server before this process does.
      .catch((error: unknown) => Promise.race([ended, sleep(EXIT_MS).then(() => Promise.reject(error))]));
    return Promise.race([sending, ended]);
  }
}

interface Started {
  readonly round: number;
  readonly spec: Spec;
  readonly context: ServerContext;
  readonly host: Host;
  readonly clients: StreamClients | null;
  readonly idle_rss_bytes: number | null;
}

async function streamClients({ url }: Host, { workload }: Spec, { lifetime, placement }: Launch) {
  if (workload.stream_clients === 0) return null;
  const clients = startStreamClients({ url, clients: workload.stream_clients, lifetime, placement });
  await lifetime.orInterrupted(clients.ready());
  return clients;
}

function describe(phase: string, sent: Sent): string {
  const codes = Object.entries(sent.status_codes).map(([code, count]) => `${code} x ${count}`);
  return (
    `${phase}: ${sent.requests} requests (${codes.join(', ') || 'no answer'}), ${sent.errors} errors, ` +
    `${sent.timeouts} timeouts; sent ${sent.sent_events}, received ${sent.received_events}, ` +
    `duplicates ${sent.duplicate_events}, rejected ${sent.rejected_events}`
  );
}
