/** Progress on stderr: a bar on a terminal, otherwise one line for each step. Results use stdout. */
import { Presets, SingleBar } from 'cli-progress';
import { shownTime } from '../plan/plan.ts';

export type Progress = ReturnType<typeof createProgress>;

/** Milliseconds between the lines of a long step without a terminal. */
const LINE_MS = 60_000;

export function createProgress(out: NodeJS.WriteStream) {
  const say = (line: string) => void out.write(`${line}\n`);
  const format = '{label} {bar} {percentage}%, about {left} left';
  const shape = { format, stream: out, clearOnComplete: true, hideCursor: true };
  let end_ms = 0;
  /** Returns the estimated time until the run ends. */
  const left = () => shownTime(Math.max(0, end_ms - performance.now()) / 1000);
  return {
    say,
    left,
    endsIn(seconds: number): void {
      end_ms = performance.now() + seconds * 1000;
    },
    /** Runs a step of `total` units. `work` reports how many of them are done, and returns a summary. */
    async step(
      label: string,
      total: number,
      work: (at: (value: number) => void) => Promise<string>,
    ): Promise<void> {
      const bar = out.isTTY ? new SingleBar(shape, Presets.shades_classic) : null;
      bar?.start(total, 0, { label, left: left() });
      const lines = bar ? undefined : setInterval(() => say(`${label}: about ${left()} left`), LINE_MS);
      // The bar is removed before the summary, or an error message, is printed.
      const summary = await work((value) => bar?.update(value, { left: left() })).finally(() => {
        bar?.stop();
        clearInterval(lines);
      });
      say(`${label}: ${summary}`);
    },
  };
}
