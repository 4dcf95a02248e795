/** Progress on stderr: a bar on a terminal, otherwise one line for each step. Results use stdout. */
import { Presets, SingleBar } from 'cli-progress';

export type Progress = ReturnType<typeof createProgress>;

export function createProgress(out: NodeJS.WriteStream) {
  const say = (line: string) => void out.write(`${line}\n`);
  const format = '{label} {bar} {percentage}%';
  const shape = { format, stream: out, clearOnComplete: true, hideCursor: true };
  return {
    say,
    /** Runs a step of `total` units. `work` reports how many of them are done, and returns a summary. */
    async step(
      label: string,
      total: number,
      work: (at: (value: number) => void) => Promise<string>,
    ): Promise<void> {
      const bar = out.isTTY ? new SingleBar(shape, Presets.shades_classic) : null;
      bar?.start(total, 0, { label });
      // The bar is removed before the summary, or an error message, is printed.
      const summary = await work((value) => bar?.update(value)).finally(() => bar?.stop());
      say(`${label}: ${summary}`);
    },
  };
}
