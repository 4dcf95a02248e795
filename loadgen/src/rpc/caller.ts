/** The parent's side of the process that calls, and the server that it calls. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { cpuBetween, threadTimes } from '../observe/probe.ts';
import { Helper, type HelperOptions } from '../run/helper.ts';
import { Host, type Launch } from '../run/host.ts';
import type { Call } from './call.ts';
import type { CallOrders, Sliced } from './call-process.ts';

export class Caller extends Helper<CallOrders> {
  constructor(options: Pick<HelperOptions, 'placement' | 'lifetime'>) {
    const { placement, lifetime } = options;
    const program = new URL('./call-main.ts', import.meta.url);
    super({ name: 'the process that calls', program, placement, lifetime });
  }
}

/** Durations of a slice and of the warm-up before it. */
export interface SliceLength {
  readonly seed: number;
  readonly warm_up_s: number;
  readonly slice_s: number;
  readonly least: number;
}

/** A fresh server process with `--bench`. */
export class CallServer {
  readonly host: Host;
  readonly #caller: Caller;

  private constructor(host: Host, caller: Caller) {
    this.host = host;
    this.#caller = caller;
  }

  static async start(name: TargetName, launch: Launch, caller: Caller): Promise<CallServer> {
    return new CallServer(await Host.start(name, launch, { flags: ['--bench'] }), caller);
  }

  async prepare(call: Call, seed: number, seconds: number): Promise<void> {
    await this.#caller.ask('prepare', this.host.port, call, seed, seconds);
  }

  /** Runs the prepared call, and returns the CPU time of the server. */
  async run(
    seconds: number,
    least: number,
  ): Promise<{ readonly sliced: Sliced; readonly cpu_us: number | null }> {
    const { pid } = this.host;
    const before = await threadTimes(pid);
    const sliced = await this.#caller.ask('run', seconds, least);
    const cpu_ms = cpuBetween(before, await threadTimes(pid));
    return { sliced, cpu_us: cpu_ms === null ? null : cpu_ms * 1000 };
  }

  async end(): Promise<void> {
    await this.host.stop();
    await this.host.discard();
  }
}
