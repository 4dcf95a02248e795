/** Progress on stderr: a bar on a terminal, otherwise one line for each step. Results use stdout. */
import { type Bar, Presets, SingleBar } from 'cli-progress';

export interface Progress {
  say(line: string): void;
  /** Begins a step of `total` units. `done` or `abandon` ends the step. */
  begin(label: string, total: number): Step;
}

export interface Step {
  at(value: number): void;
  done(summary: string): void;
  /** Removes the progress bar, so that an error message can be printed. */
  abandon(): void;
}

export function createProgress(out: NodeJS.WriteStream): Progress {
  const say = (line: string) => void out.write(`${line}\n`);
  return {
    say,
    begin: out.isTTY ? (label, total) => bar(out, say, label, total) : (label) => plain(say, label),
  };
}

function plain(say: (line: string) => void, label: string): Step {
  return { at() {}, done: (summary) => say(`${label}: ${summary}`), abandon() {} };
}

function bar(out: NodeJS.WriteStream, say: (line: string) => void, label: string, total: number): Step {
  const shown: Bar = new SingleBar(
    {
      format: `${label} {bar} {percentage}%`,
      stream: out,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  shown.start(total, 0);
  return {
    at: (value) => shown.update(value),
    done(summary) {
      shown.stop();
      say(`${label}: ${summary}`);
    },
    abandon: () => shown.stop(),
  };
}
