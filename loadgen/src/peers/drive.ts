/**
 * Sends batches over raw sockets to any peer, and counts the acknowledged events.
 *
 * Invariants: a connection has one batch under way. One program drives every peer, so its own cost is the same for all.
 * In an open loop a latency counts from the moment its batch was due.
 */
import { connect, type Socket } from 'node:net';
import { quantile } from '../analyse/statistics.ts';
import type { Metronome } from '../load/drivers/metronome.ts';
import type { Pool } from '../load/pool.ts';
import { nowMs } from '../observe/clock.ts';
import { type AnswerReader, PROTOCOLS, type Protocol, type ProtocolName } from './protocol.ts';

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
  /** Percentiles of all batches, in milliseconds; `null` without an answer. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

/** Sends until the time is over and every batch is answered, or the server has crashed as expected. */
export async function drive(pool: Pool, order: Order, metronome: Metronome): Promise<Driven> {
  return new Drive(pool, order, metronome).run();
}

/** Milliseconds after which a batch without an answer fails the run. */
const PATIENCE_MS = 60_000;

class Drive {
  readonly #pool: Pool;
  readonly #order: Order;
  readonly #protocol: Protocol;
  readonly #metronome: Metronome;
  readonly #ended = Promise.withResolvers<void>();
  readonly #idle: Connection[] = [];
  readonly #latencies: number[] = [];
  #connections: Connection[] = [];
  #next: number;
  #begun_ms = 0;
  #sentBatches = 0;
  #acknowledged = 0;
  #open = 0;

  constructor(pool: Pool, order: Order, metronome: Metronome) {
    this.#pool = pool;
    this.#metronome = metronome;
    this.#order = order;
    this.#protocol = PROTOCOLS[order.protocol];
    this.#next = order.first;
  }

  async run(): Promise<Driven> {
    const { connections, port, rate, batch, duration_s } = this.#order;
    this.#connections = await Promise.all(
      Array.from({ length: connections }, (_, number) => this.#connected(port, number)),
    );
    this.#open = connections;
    this.#idle.push(...this.#connections);
    this.#begun_ms = nowMs();
    const late = setTimeout(
      () => this.#ended.reject(new Error(`a batch had no answer for ${PATIENCE_MS} ms`)),
      duration_s * 1000 + PATIENCE_MS,
    );
    if (rate !== null) this.#metronome.run(this.#begun_ms, (batch / rate) * 1000, () => this.#sendDue());
    this.#sendDue();
    try {
      await this.#ended.promise;
    } finally {
      clearTimeout(late);
      this.#metronome.stop();
      for (const { socket } of this.#connections) socket.destroy();
    }
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted.length === 0 ? null : quantile(sorted, share));
    return {
      kind: 'driven',
      sent_events: this.#sentBatches * batch,
      acknowledged_events: this.#acknowledged,
      seconds: (nowMs() - this.#begun_ms) / 1000,
      p50_ms: at(0.5),
      p99_ms: at(0.99),
    };
  }

  async #connected(port: number, number: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const greeting = this.#protocol.greeting(number);
    if (greeting.length > 0) socket.write(greeting);
    const reader = this.#protocol.reader(this.#order.batch, (bytes) => socket.write(bytes));
    const connection: Connection = { number, socket, reader, due_ms: 0, waiting: 0 };
    socket.on('data', (chunk) => this.#received(connection, chunk));
    socket.on('error', () => undefined).once('close', () => this.#closed());
    return connection;
  }

  /** Sends what is due on idle connections. In a closed loop a batch is due at once. */
  #sendDue(): void {
    const { rate, batch, duration_s } = this.#order;
    const end_ms = this.#begun_ms + duration_s * 1000;
    while (this.#idle.length > 0) {
      const now = nowMs();
      const due = rate === null ? now : this.#begun_ms + (this.#sentBatches * batch * 1000) / rate;
      if (due >= end_ms) {
        if (this.#idle.length === this.#open) this.#ended.resolve();
        return;
      }
      if (due > now) return;
      // Connections take turns: VictoriaLogs closes one that is silent for five seconds.
      const connection = this.#idle.shift()!;
      connection.due_ms = due;
      connection.waiting = batch;
      const range = { first: this.#next, count: batch };
      connection.socket.write(this.#protocol.request(this.#pool, range, connection.number));
      this.#next += batch;
      this.#sentBatches++;
    }
  }

  #received(connection: Connection, chunk: Buffer): void {
    let events: number;
    try {
      events = connection.reader.read(chunk);
    } catch (error) {
      this.#ended.reject(error as Error);
      return;
    }
    this.#acknowledged += events;
    connection.waiting -= events;
    if (events === 0 || connection.waiting > 0) return;
    this.#latencies.push(nowMs() - connection.due_ms);
    this.#idle.push(connection);
    this.#sendDue();
  }

  #closed(): void {
    this.#open--;
    if (!this.#order.crashes) this.#ended.reject(new Error('the server closed a connection'));
    else if (this.#open === 0) this.#ended.resolve();
  }
}

interface Connection {
  readonly number: number;
  readonly socket: Socket;
  readonly reader: AnswerReader;
  due_ms: number;
  /** Number of events without an answer. */
  waiting: number;
}
