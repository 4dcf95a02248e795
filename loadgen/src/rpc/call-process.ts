/**
 * The process that calls: checks the response of a call, then repeats the call.
 *
 * Invariants: values and raw requests are made before the clock starts. The first response of each slice is compared
 * byte by byte (MessagePack: value by value) and does not count. A response that is an error or has another length
 * fails the order.
 */
import { msgpackCalls } from '@twin-ingest/client/msgpack';
import { type Rpc, rpcOf } from '@twin-ingest/client/rpc';
import { Exchange } from '../codecs/exchange.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/helper.ts';
import { type Call, checkAnswer, libraryTime, requestOf } from './call.ts';
import { Samples } from './samples.ts';
import { argumentOf, nameOf } from './values.ts';

export type CallOrders = Readonly<{
  /** Checks one response, then warms up. */
  prepare(port: number, call: Call, seed: number, seconds: number): Promise<void>;
  /** Calls until the seconds are over, and at least so many times. */
  run(seconds: number, least: number): Promise<Sliced>;
}>;

export interface Sliced {
  /** Microseconds of a call, one value for each sample. */
  readonly samples_us: readonly number[];
  readonly latencies_us: Float64Array;
  /** Time of the library from `Server-Timing`; empty for raw calls. */
  readonly lib_us: Float64Array;
  readonly sent_bytes: number;
  readonly received_bytes: number;
  readonly cpu_us: number;
}

interface Prepared {
  readonly call: Call;
  readonly sent_bytes: number;
  readonly received_bytes: number;
  /** Makes one call. `worker` is the number of the worker. */
  readonly once: (worker: number) => Promise<void>;
}

const PATIENCE_MS = 120_000;

export function serveCalls(): void {
  const calls = new Calls();
  const orders: CallOrders = {
    prepare: (...order) => calls.prepare(...order),
    run: (...order) => calls.run(...order),
  };
  serve(orders);
}

class Calls {
  #prepared: Prepared | undefined;
  #exchanges: Exchange[] = [];
  #library: number[] = [];

  async prepare(port: number, call: Call, seed: number, seconds: number): Promise<void> {
    const from_ms = nowMs();
    const argument = argumentOf(call, seed);
    const request = requestOf(call, argument);
    for (const exchange of this.#exchanges) exchange.close();
    this.#exchanges = Array.from(
      { length: call.client === 'raw' ? call.in_flight : 1 },
      () => new Exchange({ port }),
    );
    await Promise.all(this.#exchanges.map((exchange) => exchange.opened()));
    const received_bytes = await checkAnswer(this.#exchanges[0]!, request.bytes, call, argument);
    const bytes = { sent_bytes: request.length, received_bytes };
    const once =
      call.client === 'raw'
        ? (worker: number) => this.#sendRaw(worker, request.bytes, received_bytes)
        : this.#typed(port, call, argument);
    this.#prepared = { call, ...bytes, once };
    await this.#loop((elapsed_ms) => elapsed_ms >= seconds * 1000, from_ms);
  }

  async run(seconds: number, least: number): Promise<Sliced> {
    const { sent_bytes, received_bytes } = this.#prepared!;
    this.#library = [];
    const cpu = process.cpuUsage();
    const found = await this.#loop((elapsed_ms, begun) => elapsed_ms >= seconds * 1000 && begun >= least);
    const { user, system } = process.cpuUsage(cpu);
    const lib_us = Float64Array.from(this.#library);
    return { ...found, lib_us, sent_bytes, received_bytes, cpu_us: user + system };
  }

  /** Runs one worker for each call in flight. A worker makes its next call after its previous response. */
  async #loop(
    isOver: (elapsed_ms: number, begun: number) => boolean,
    from_ms = nowMs(),
  ): Promise<Pick<Sliced, 'samples_us' | 'latencies_us'>> {
    const { call, once } = this.#prepared!;
    const samples = new Samples(from_ms);
    const latencies: number[] = [];
    let begun = 0;
    const worker = async (number: number) => {
      while (!isOver(nowMs() - from_ms, begun)) {
        begun++;
        const began_ms = nowMs();
        await once(number);
        const ended_ms = nowMs();
        latencies.push((ended_ms - began_ms) * 1000);
        samples.add(ended_ms);
      }
    };
    await Promise.all(Array.from({ length: call.in_flight }, (_, i) => worker(i)));
    return { samples_us: samples.end(nowMs()), latencies_us: Float64Array.from(latencies) };
  }

  #typed(port: number, call: Call, argument: unknown): Prepared['once'] {
    const rpc = rpcOf({
      baseUrl: `http://127.0.0.1:${port}`,
      checks: call.client === 'checked',
      request_ms: PATIENCE_MS,
      ...(call.format === 'msgpack' ? { format: msgpackCalls } : {}),
      onTiming: (text) => void this.#library.push(libraryTime(text)),
    });
    const method = rpc.echo[nameOf(call) as keyof Rpc['echo']] as (value: unknown) => Promise<unknown>;
    return async () => {
      const result = await method(argument);
      const isSame = Array.isArray(argument)
        ? Array.isArray(result) && result.length === argument.length
        : typeof argument === 'object' || result === argument;
      if (!isSame) throw new Error(`echo.${nameOf(call)} gave another value`);
    };
  }

  async #sendRaw(worker: number, request: Buffer, length: number): Promise<void> {
    const { status, bytes } = await this.#exchanges[worker]!.send(request, false);
    if (status !== 200 || bytes !== length) throw new Error(`status ${status}, ${bytes} bytes`);
  }
}
