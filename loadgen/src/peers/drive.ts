/**
 * The process that drives a peer: sends batches over raw sockets, and counts the acknowledged events.
 *
 * Invariants: a connection has one batch under way. One program drives every peer, so its own cost is the same for all.
 * In an open loop a latency counts from the moment its batch was due.
 */
import { connect, type Socket } from 'node:net';
import { quantile } from '../analyse/statistics.ts';
import { Metronome } from '../load/drivers/metronome.ts';
import { loadPool, type Pool } from '../load/pool.ts';
import { nowMs } from '../observe/clock.ts';
import { serve } from '../run/serve.ts';
import { PEER_POOL } from './peer.ts';
import { type AnswerReader, PROTOCOLS, type ProtocolName } from './protocol.ts';

export interface Order {
  readonly protocol: ProtocolName;
  readonly port: number;
  readonly connections: number;
  /** Number of events in a batch. */
  readonly batch: number;
  /** Number of the first event in the sequence of the pool. */
  readonly first: number;
  /** Events per second of an open loop; `null` for a closed loop. */
  readonly rate: number | null;
  readonly duration_s: number;
  /** Whether the server is killed during the load; connections may then break. */
  readonly crashes: boolean;
}

export interface Driven {
  readonly kind: 'driven';
  readonly sent_events: number;
  readonly acknowledged_events: number;
  readonly seconds: number;
  /** Percentile of all batches, in milliseconds; `null` without an answer. */
  readonly p99_ms: number | null;
}

/** Milliseconds after which a batch without an answer fails the run. */
const PATIENCE_MS = 60_000;

interface Connection {
  readonly number: number;
  readonly socket: Socket;
  readonly read: AnswerReader;
  due_ms: number;
  /** Number of events without an answer. */
  waiting: number;
}

const metronome = new Metronome();

/** Sends until the time is over and every batch is answered, or the server has crashed as expected. */
async function drive(pool: Pool, order: Order): Promise<Driven> {
  const { port, batch, rate, first, duration_s } = order;
  const protocol = PROTOCOLS[order.protocol];
  const ended = Promise.withResolvers<void>();
  const latencies: number[] = [];
  let [open, sentBatches, acknowledged] = [order.connections, 0, 0];

  const received = (connection: Connection, chunk: Buffer) => {
    const events = connection.read(chunk);
    acknowledged += events;
    connection.waiting -= events;
    if (events === 0 || connection.waiting > 0) return;
    latencies.push(nowMs() - connection.due_ms);
    idle.push(connection);
    sendDue();
  };
  const connected = async (_: unknown, number: number): Promise<Connection> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.write(protocol.greeting(number));
    const read = protocol.reader(batch, (text) => socket.write(text));
    const connection: Connection = { number, socket, read, due_ms: 0, waiting: 0 };
    socket.on('data', (chunk) => {
      try {
        received(connection, chunk);
      } catch (error) {
        ended.reject(error);
      }
    });
    socket
      .on('error', () => undefined)
      .once('close', () => {
        open--;
        if (!order.crashes) ended.reject(new Error('the server closed a connection'));
        else if (open === 0) ended.resolve();
      });
    return connection;
  };
  const connections = await Promise.all(Array.from({ length: open }, connected));
  const idle = [...connections];
  const begun_ms = nowMs();
  const end_ms = begun_ms + duration_s * 1000;

  /** Sends what is due on idle connections. In a closed loop a batch is due at once. */
  const sendDue = () => {
    while (idle.length > 0) {
      const now = nowMs();
      const due = rate === null ? now : begun_ms + (sentBatches * batch * 1000) / rate;
      if (due >= end_ms) {
        if (idle.length === open) ended.resolve();
        return;
      }
      if (due > now) return;
      // Connections take turns: VictoriaLogs closes one that is silent for five seconds.
      const connection = idle.shift()!;
      connection.due_ms = due;
      connection.waiting = batch;
      const range = { first: first + sentBatches * batch, count: batch };
      connection.socket.write(protocol.request(pool, range, connection.number));
      sentBatches++;
    }
  };
  const late = setTimeout(
    () => ended.reject(new Error(`a batch had no answer for ${PATIENCE_MS} ms`)),
    duration_s * 1000 + PATIENCE_MS,
  );
  if (rate !== null) metronome.run(begun_ms, (batch / rate) * 1000, sendDue);
  sendDue();
  try {
    await ended.promise;
  } finally {
    clearTimeout(late);
    metronome.stop();
    for (const { socket } of connections) socket.destroy();
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    kind: 'driven',
    sent_events: sentBatches * batch,
    acknowledged_events: acknowledged,
    seconds: (nowMs() - begun_ms) / 1000,
    p99_ms: sorted.length === 0 ? null : quantile(sorted, 0.99),
  };
}

const pool = loadPool(PEER_POOL);
serve<Order, Driven>(async (order) => drive(await pool, order));
