/**
 * The parent's side of a process that carries out one order at a time.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails its current order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';

export interface HelperOptions {
  /** Name of the process in failures. */
  readonly name: string;
  /** Program that the process runs. */
  readonly program: URL;
  readonly placement: Placement;
  readonly lifetime: Lifetime;
}

export class Helper<Order, Reply extends { readonly kind: string }> {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #lifetime: Lifetime;
  readonly #release: () => Promise<unknown>;

  constructor({ name, program, placement, lifetime }: HelperOptions) {
    const file = fileURLToPath(program);
    const command = [...pinningCommand(placement.generator_cpus), process.execPath, file];
    this.#name = name;
    this.#lifetime = lifetime;
    this.#child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
      serialization: 'advanced',
    });
    this.#release = lifetime.add(() => end(this.#child));
  }

  /** Sends an order and returns the reply. A reply of kind `failed` becomes a `generator_failed`. */
  async ask(order: Order): Promise<Exclude<Reply, { readonly kind: 'failed' }>> {
    // Checked before sending: after an interruption, no caller would wait for the reply.
    this.#lifetime.signal.throwIfAborted();
    const reply = await this.#lifetime.orInterrupted(this.#exchange(order));
    if (reply.kind === 'failed')
      throw this.#failure((reply as unknown as { readonly message: string }).message);
    return reply as Exclude<Reply, { readonly kind: 'failed' }>;
  }

  async close(): Promise<void> {
    await this.#release();
  }

  #exchange(order: Order): Promise<Reply> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onMessage = (message: unknown) => settle(() => resolve(message as Reply));
      const onError = (error: Error) => settle(() => reject(this.#failure(error.message)));
      const onClose = (code: number | null, signal: string | null) =>
        settle(() => reject(this.#failure(`ended by itself (${signal ?? `code ${code}`})`)));
      const settle = (how: () => void) => {
        child.off('message', onMessage).off('error', onError).off('close', onClose);
        how();
      };
      child.on('message', onMessage).on('error', onError).on('close', onClose);
      if (child.connected) child.send(order as object);
      else onClose(child.exitCode, child.signalCode);
    });
  }

  #failure(what: string): BenchFailure {
    return new BenchFailure('generator_failed', `${this.#name}: ${what}`);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
