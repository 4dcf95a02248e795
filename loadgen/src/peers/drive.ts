/**
 * Drives a peer: sends batches over raw sockets, and counts the acknowledged events.
 *
 * Invariants: a connection has one batch under way. One program drives every peer, so its own cost is the same for all.
 * In an open loop a latency counts from the moment its batch was due.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { quantile } from '../analyse/statistics.ts';
import { Metronome } from '../load/drivers/metronome.ts';
import { loadPool } from '../load/pool.ts';
import { nowMs } from '../observe/clock.ts';
import { answerReader, type Protocol } from './protocol.ts';

/** DATA: the load that every peer gets. */
export const LOAD = {
  connections: 40,
  /** Events in a request, or in a run of messages without waiting in between. */
  batch: 50,
  warm_up_s: 1,
  /** Events per second of the open loop. */
  rate: 10_000,
  /** Seconds of load before the kill. */
  crash_s: 1,
} as const;

/**
 * Starts what all rounds share, until the run ends: small events, each with a UUID of its own, and what wakes the open
 * loops. A new metronome would be late for the first batches.
 */
export async function startGenerator(lifetime: Lifetime) {
  const pool = await loadPool({ corpus: undefined, payload: 'small', seed: 1, most: 20_000 });
  const metronome = new Metronome();
  lifetime.add(() => metronome.close());
  return { pool, metronome, lifetime };
}

export type Generator = Awaited<ReturnType<typeof startGenerator>>;

interface Order {
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

/** Milliseconds after which a batch without an answer fails the run. */
const PATIENCE_MS = 60_000;

/** Sends until the time is over and every batch is answered, or the server has crashed as expected. */
export async function drive({ pool, metronome }: Generator, order: Order) {
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
  return {
    sent_events: batches * batch,
    acknowledged_events: acknowledged,
    seconds: (nowMs() - begun_ms) / 1000,
    /** Percentile of all batches; `null` without an answer. */
    p99_ms: latencies.length === 0 ? null : quantile(Float64Array.from(latencies).sort(), 0.99),
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
