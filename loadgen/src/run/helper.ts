/**
 * The parent's side of a process that carries out one order at a time; `serve.ts` is the other side.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails its current order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure, type FailureCode } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';
import type { Failed } from './serve.ts';

export interface HelperOptions {
  /** Name of the process in failures. */
  readonly name: string;
  readonly program: URL;
  /** Cores of the process; absent: any. */
  readonly placement?: Placement | undefined;
  readonly lifetime: Lifetime;
  /** Code of a failure that has none of its own; default `generator_failed`. */
  readonly code?: FailureCode;
}

export class Helper<Order extends object, Reply extends { readonly kind: string }> {
  readonly #options: HelperOptions;
  readonly #child: ChildProcess;
  readonly #release: () => Promise<unknown>;

  constructor(options: HelperOptions) {
    const { program, placement, lifetime } = options;
    const pinning = pinningCommand(placement?.generator_cpus ?? null);
    const command = [...pinning, process.execPath, fileURLToPath(program)];
    this.#options = options;
    this.#child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
      serialization: 'advanced',
    });
    // The next order reports an error of the child. Without this listener, the error would end the run.
    this.#child.on('error', () => undefined);
    this.#release = lifetime.add(() => disconnect(this.#child));
  }

  /** Sends an order and returns the reply, which must be of this kind. */
  async ask<Kind extends Reply['kind']>(
    order: Order,
    kind: Kind,
  ): Promise<Extract<Reply, { readonly kind: Kind }>> {
    const { lifetime } = this.#options;
    // Checked before sending: after an interruption, no caller would wait for the reply.
    lifetime.signal.throwIfAborted();
    const reply = await lifetime.orInterrupted(this.#exchange(order));
    if (reply.kind === 'failed') {
      const { code, message, details } = reply as Failed;
      throw code === null ? this.#failure(message) : new BenchFailure(code, message, details);
    }
    if (reply.kind !== kind) throw this.#failure(`expected ${kind}, got ${reply.kind}`);
    return reply as Extract<Reply, { readonly kind: Kind }>;
  }

  async close(): Promise<void> {
    await this.#release();
  }

  async #exchange(order: Order): Promise<Reply | Failed> {
    const child = this.#child;
    const ended = () => this.#failure(`ended by itself (${child.signalCode ?? `code ${child.exitCode}`})`);
    if (!child.connected) throw ended();
    const settled = new AbortController();
    const { signal } = settled;
    const reply = once(child, 'message', { signal });
    const end = once(child, 'close', { signal }).then(() => Promise.reject(ended()));
    child.send(order);
    try {
      const [message] = await Promise.race([reply, end]);
      return message;
    } catch (error) {
      throw error instanceof BenchFailure ? error : this.#failure(String(error));
    } finally {
      settled.abort();
    }
  }

  #failure(what: string): BenchFailure {
    const { name, code = 'generator_failed' } = this.#options;
    return new BenchFailure(code, `${name}: ${what}`);
  }
}

/** Time that a child has to end itself and its own children. */
const PATIENCE_MS = 1000;

/** Disconnects a child, which then ends itself and its own children. A child that is too busy for that is killed. */
async function disconnect(child: ChildProcess): Promise<void> {
  const killing = setTimeout(() => endProcess(child), PATIENCE_MS);
  // Node emits no `close` for a child that its parent has disconnected.
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) await ended;
  clearTimeout(killing);
}

/** Ends a child process that may have ended, or never have started. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
