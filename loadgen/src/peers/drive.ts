/**
 * Drives a peer: sends batches over raw sockets, and counts the acknowledged events.
 *
 * Invariants: a connection has one batch under way. One program drives every peer, so its own cost is the same for all.
 * In an open loop a latency counts from the moment its batch was due.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../analyse/statistics.ts';
import type { Metronome } from '../load/drivers/metronome.ts';
import type { Pool } from '../load/pool.ts';
import { nowMs } from '../observe/clock.ts';
import { LOAD } from './peer.ts';
import { answerReader, type Protocol } from './protocol.ts';

export interface Order {
  readonly protocol: Protocol;
  readonly port: number;
  /** Number of the first event in the sequence of the pool. */
  readonly first: number;
  /** Events per second of an open loop; `null` for a closed loop. */
  readonly rate: number | null;
  readonly duration_s: number;
  /** Whether the server is killed during the load; connections may then break. */
  readonly crashes: boolean;
}

export interface Driven {
  readonly sent_events: number;
  readonly acknowledged_events: number;
  readonly seconds: number;
  /** Percentile of all batches, in milliseconds; `null` without an answer. */
  readonly p99_ms: number | null;
}

/** What all loads of a run share. */
export interface Generator {
  readonly pool: Pool;
  /** Wakes the open loops. A new one would be late for the first batches. */
  readonly metronome: Metronome;
}

/** Milliseconds after which a batch without an answer fails the run. */
const PATIENCE_MS = 60_000;

/** Sends until the time is over and every batch is answered, or the server has crashed as expected. */
export async function drive({ pool, metronome }: Generator, order: Order): Promise<Driven> {
  const { protocol, port, rate, first, duration_s, crashes } = order;
  const { connections, batch } = LOAD;
  const failed = Promise.withResolvers<never>();
  const sockets: Socket[] = [];
  const latencies: number[] = [];
  let [batches, acknowledged, begun_ms, ended_ms] = [0, 0, 0, 0];

  /** Opens a connection. The returned function sends a batch, and returns whether all of its events are acknowledged. */
  const opened = async (_: unknown, number: number) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, timeout: PATIENCE_MS });
    sockets.push(socket);
    await once(socket, 'connect');
    if (protocol.greeting !== undefined) socket.write(protocol.greeting(number));
    const read = answerReader(protocol, batch, (text) => socket.write(text));
    let waiting = 0;
    let answered = Promise.withResolvers<boolean>();
    socket.on('data', (piece) => {
      try {
        const events = read(piece);
        acknowledged += events;
        waiting -= events;
        if (waiting === 0) answered.resolve(true);
      } catch (error) {
        failed.reject(error);
      }
    });
    socket.on('timeout', () => failed.reject(new Error(`a batch had no answer for ${PATIENCE_MS} ms`)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (crashes) answered.resolve(false);
      else failed.reject(new Error('the server closed a connection'));
    });
    return async (from: number): Promise<boolean> => {
      if (socket.destroyed) return false;
      waiting = batch;
      answered = Promise.withResolvers();
      socket.write(protocol.request(pool, { first: from, count: batch }, number));
      return answered.promise;
    };
  };

  /** Connections that wait until their batch is due. They take turns: VictoriaLogs closes one that is silent for 5 s. */
  const early: { readonly due_ms: number; wake(): void }[] = [];
  const until = (due_ms: number) => new Promise<void>((wake) => early.push({ due_ms, wake }));
  const wakeDue = () => {
    while (early.length > 0 && early[0]!.due_ms <= nowMs()) early.shift()!.wake();
  };

  /** Sends one batch after the other. In a closed loop a batch is due at once. */
  const sendAll = async (send: (from: number) => Promise<boolean>): Promise<void> => {
    for (;;) {
      const due_ms = rate === null ? nowMs() : begun_ms + (batches * batch * 1000) / rate;
      if (due_ms >= begun_ms + duration_s * 1000) return;
      const from = first + batches++ * batch;
      if (due_ms > nowMs()) await until(due_ms);
      if (!(await send(from))) return;
      latencies.push(nowMs() - due_ms);
    }
  };
  const run = async () => {
    const senders = await Promise.all(Array.from({ length: connections }, opened));
    begun_ms = nowMs();
    if (rate !== null) metronome.run(begun_ms, (batch / rate) * 1000, wakeDue);
    await Promise.all(senders.map(sendAll));
    ended_ms = nowMs();
  };
  try {
    await Promise.race([run(), failed.promise]);
  } finally {
    metronome.stop();
    for (const socket of sockets) socket.destroy();
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    sent_events: batches * batch,
    acknowledged_events: acknowledged,
    seconds: (ended_ms - begun_ms) / 1000,
    p99_ms: sorted.length === 0 ? null : quantile(sorted, 0.99),
  };
}
