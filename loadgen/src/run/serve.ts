/**
 * The child's side of a process that carries out one order at a time; `helper.ts` is the other side.
 *
 * The process ends when its parent ends. It ignores Ctrl-C, which a terminal sends to the whole process group: the
 * parent handles Ctrl-C and reports what happened.
 */
import { BenchFailure, type FailureCode } from '../failure.ts';

/** What a process can do, by name. The parent orders one thing at a time, and receives what it returns. */
export type Orders = Readonly<Record<string, (...input: never[]) => unknown>>;

export interface Order {
  readonly name: string;
  readonly input: readonly unknown[];
}

/** `code` is that of a failure of the run, and `null` for an error of the process. */
export type Reply =
  | { readonly value: unknown }
  | { readonly failed: Pick<BenchFailure, 'message' | 'details'> & { readonly code: FailureCode | null } };

/** Carries out the orders of the parent until the parent has ended. */
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
