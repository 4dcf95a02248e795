/** Shows the current state: one line that is overwritten on a terminal, an occasional line elsewhere. */
import { shown } from '../terminal.ts';

const CLEAR = '\r\x1b[2K';
/** Milliseconds between two lines without a terminal. */
const CALM_MS = 5_000;

export class StatusLine {
  readonly #out: NodeJS.WriteStream;
  #shown_at = Number.NEGATIVE_INFINITY;
  #isOpen = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Shows the current state. */
  show(text: string): void {
    if (this.#out.isTTY) {
      this.#out.write(`${CLEAR}${shown(text).slice(0, (this.#out.columns || 80) - 1)}`);
      this.#isOpen = true;
    } else if (performance.now() - this.#shown_at >= CALM_MS) {
      this.#out.write(`${shown(text)}\n`);
      this.#shown_at = performance.now();
    }
  }

  /** Removes the line of a terminal. */
  clear(): void {
    if (this.#isOpen) this.#out.write(CLEAR);
    this.#isOpen = false;
  }

  /** Prints a permanent line. */
  say(text: string): void {
    this.#out.write(`${this.#isOpen ? CLEAR : ''}${shown(text)}\n`);
    this.#isOpen = false;
  }
}

/** Formats a number with digit grouping. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
