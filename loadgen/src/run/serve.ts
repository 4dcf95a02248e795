/**
 * The child's side of a process that carries out one order at a time; `helper.ts` is the other side.
 *
 * The process ends when its parent ends. It ignores Ctrl-C, which a terminal sends to the whole process group: the
 * parent handles Ctrl-C and reports what happened.
 */
import { BenchFailure, type FailureCode } from '../failure.ts';

export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  /** Code of a failure of the run; `null` for an error of the process. */
  readonly code: FailureCode | null;
  readonly details: readonly string[];
}

/** Carries out the orders of the parent until the parent has ended. */
export function serve<Order, Reply>(carryOut: (order: Order) => Reply | Promise<Reply>): void {
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(1));
  process.on('message', async (message) => {
    let reply: Reply | Failed;
    try {
      reply = await carryOut(message as Order);
    } catch (error) {
      const known = error instanceof BenchFailure ? error : null;
      const text = error instanceof Error ? error.message : String(error);
      reply = { kind: 'failed', message: text, code: known?.code ?? null, details: known?.details ?? [] };
    }
    process.send!(reply);
  });
}
