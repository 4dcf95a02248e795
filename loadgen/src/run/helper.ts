/**
 * Both sides of a process that carries out one order of its parent at a time.
 *
 * Invariants: the process ends with the run at the latest, and when its parent ends. A process that ends by itself fails
 * its current order.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure, type FailureCode } from '../failure.ts';
import { type Placement, pinningCommand } from '../plan/placement.ts';

/** What a process can do, by name. The parent orders one thing at a time, and receives what it returns. */
export type Orders = Readonly<Record<string, (...input: never[]) => unknown>>;

interface Order {
  readonly name: string;
  readonly input: readonly unknown[];
}

/** `code` is that of a failure of the run, and `null` for an error of the process. */
type Reply =
  | { readonly value: unknown }
  | { readonly failed: Pick<BenchFailure, 'message' | 'details'> & { readonly code: FailureCode | null } };

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

/** The parent's side. `Own` are the orders of the process. */
export class Helper<Own extends Orders> {
  readonly #options: HelperOptions;
  readonly #child: ChildProcess;
  readonly close: () => Promise<void>;
  #waiting = Promise.withResolvers<Reply>();

  constructor(options: HelperOptions) {
    const { program, placement, lifetime } = options;
    const pinning = pinningCommand(placement?.generator_cpus ?? null);
    const command = [...pinning, process.execPath, fileURLToPath(program)];
    const child = spawn(command[0]!, command.slice(1), {
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
      serialization: 'advanced',
    });
    child.on('message', (reply) => this.#waiting.resolve(reply as Reply));
    child.on('error', (error) => this.#waiting.reject(this.#failure(String(error))));
    child.on('close', () => this.#waiting.reject(this.#ended()));
    // A process may end while no caller waits for a reply. The next order reports that.
    this.#waiting.promise.catch(() => undefined);
    this.#options = options;
    this.#child = child;
    const release = lifetime.add(() => endProcess(child, PATIENCE_MS));
    this.close = async () => void (await release());
  }

  /** Sends an order, and returns what the process returns. */
  async ask<Name extends keyof Own & string>(
    name: Name,
    ...input: Parameters<Own[Name]>
  ): Promise<Awaited<ReturnType<Own[Name]>>> {
    const { lifetime } = this.#options;
    // Checked before sending: after an interruption, no caller would wait for the reply.
    lifetime.signal.throwIfAborted();
    if (!this.#child.connected) throw this.#ended();
    this.#waiting = Promise.withResolvers();
    this.#child.send({ name, input } satisfies Order);
    const reply = await lifetime.orInterrupted(this.#waiting.promise);
    if ('value' in reply) return reply.value as Awaited<ReturnType<Own[Name]>>;
    const { code, message, details } = reply.failed;
    throw code === null ? this.#failure(message) : new BenchFailure(code, message, details);
  }

  #ended(): BenchFailure {
    const { signalCode, exitCode } = this.#child;
    return this.#failure(`ended by itself (${signalCode ?? `code ${exitCode}`})`);
  }

  #failure(what: string): BenchFailure {
    const { name, code = 'generator_failed' } = this.#options;
    return new BenchFailure(code, `${name}: ${what}`);
  }
}

/**
 * The child's side: carries out the orders of the parent until the parent has ended. It ignores Ctrl-C, which a terminal
 * sends to the whole process group: the parent handles Ctrl-C and reports what happened.
 */
export function serve(orders: Orders): void {
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(1));
  process.on('message', async (message) => {
    const { name, input } = message as Order;
    let reply: Reply;
    try {
      reply = { value: await orders[name]!(...(input as never[])) };
    } catch (error) {
      const known = error instanceof BenchFailure ? error : null;
      const text = error instanceof Error ? error.message : String(error);
      reply = { failed: { message: text, code: known?.code ?? null, details: known?.details ?? [] } };
    }
    process.send!(reply);
  });
}

/** Time that a helper has to end itself and its own children. */
const PATIENCE_MS = 1000;

/**
 * Ends a child process that may have ended, or never have started. A helper ends by itself when it is disconnected; the
 * child is killed after `patience_ms`.
 */
export async function endProcess(child: ChildProcess, patience_ms = 0): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  // Node emits no `close` for a child that its parent has disconnected.
  const exited = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  const killing = setTimeout(() => child.kill('SIGKILL'), patience_ms);
  await exited;
  clearTimeout(killing);
}
