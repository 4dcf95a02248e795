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

export interface Progress {
  readonly kind: 'progress';
  readonly value: number;
}

export type Answered<Reply> = Reply | Progress | Failed;

/** Carries out the orders of the parent until the parent has ended. `progress` may be called during an order. */
export function serve<Order, Reply>(
  carryOut: (order: Order, progress: (value: number) => void) => Reply | Promise<Reply>,
): void {
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit(1));
  const reply = (message: Answered<Reply>) => void process.send!(message);
  process.on('message', async (message) => {
    try {
      reply(await carryOut(message as Order, (value) => reply({ kind: 'progress', value })));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const known = error instanceof BenchFailure ? error : null;
      reply({ kind: 'failed', message: text, code: known?.code ?? null, details: known?.details ?? [] });
    }
  });
}
