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

/** What all loads of a run share. */
export interface Generator {
  readonly pool: Pool;
  /** Wakes the open loops. A new one would be late for the first batches. */
  readonly metronome: Metronome;
}

export interface Order {
  readonly protocol: Protocol;
  readonly port: number;
  /** Number of the first event in the sequence of the pool. */
  readonly first: number;
  /** Events per second of an open loop; `null` for a closed loop. */
  readonly rate: number | null;
  readonly duration_s: number;
  /** Whether the server is killed during the load, so that connections may break. */
  readonly crashes: boolean;
}

export interface Driven {
  readonly sent_events: number;
  readonly acknowledged_events: number;
  readonly seconds: number;
  /** Percentile of all batches, in milliseconds; `null` without an answer. */
  readonly p99_ms: number | null;
}

/** Milliseconds after which a batch without an answer fails the run. */
const PATIENCE_MS = 60_000;

/** Sends until the time is over and every batch is answered, or the server has crashed as expected. */
export async function drive({ pool, metronome }: Generator, order: Order): Promise<Driven> {
  const { protocol, port, first, rate, duration_s, crashes } = order;
  const { connections, batch } = LOAD;
  const latencies: number[] = [];
  let [batches, acknowledged] = [0, 0];

  /** Connections that wait until their batch is due. They take turns: VictoriaLogs closes one that is silent for 5 s. */
  const early: { readonly due_ms: number; wake(): void }[] = [];
  const wakeDue = () => {
    while (early.length > 0 && early[0]!.due_ms <= nowMs()) early.shift()!.wake();
  };

  /** Sends one batch after the other over a connection. In a closed loop a batch is due at once. */
  const converse = async (socket: Socket, number: number): Promise<void> => {
    const answers = socket.iterator({ destroyOnReturn: false });
    const read = answerReader(protocol, batch, (text) => socket.write(text));
    socket.write(protocol.greeting?.(number) ?? '');
    for (;;) {
      const due_ms = rate === null ? nowMs() : begun_ms + (batches * batch * 1000) / rate;
      if (due_ms >= begun_ms + duration_s * 1000) return;
      const range = { first: first + batches * batch, count: batch };
      batches++;
      if (due_ms > nowMs()) await new Promise<void>((wake) => early.push({ due_ms, wake }));
      socket.write(protocol.request(pool, range, number));
      for (let waiting: number = batch; waiting > 0; ) {
        const { value, done } = await answers.next();
        if (done) throw new Error('the server closed a connection');
        const events = read(value);
        acknowledged += events;
        waiting -= events;
      }
      latencies.push(nowMs() - due_ms);
    }
  };

  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(port)));
  const begun_ms = nowMs();
  if (rate !== null) metronome.run(begun_ms, (batch / rate) * 1000, wakeDue);
  const conversations = sockets.map(converse);
  try {
    await (crashes ? Promise.allSettled(conversations) : Promise.all(conversations));
  } finally {
    metronome.stop();
    for (const socket of sockets) socket.destroy();
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    sent_events: batches * batch,
    acknowledged_events: acknowledged,
    seconds: (nowMs() - begun_ms) / 1000,
    p99_ms: sorted.length === 0 ? null : quantile(sorted, 0.99),
  };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, timeout: PATIENCE_MS });
  await once(socket, 'connect');
  // An error ends the iterator of the answers.
  socket.on('error', () => undefined);
  socket.on('timeout', () => socket.destroy(new Error(`a batch had no answer for ${PATIENCE_MS} ms`)));
  return socket;
}
