/**
 * How things stand: one line that is written over on a terminal, a line now and then elsewhere.
 */
const CLEAR = '\r\x1b[2K';
/** Between two lines where they stay, milliseconds. */
const CALM_MS = 5_000;

export class StatusLine {
  readonly #out: NodeJS.WriteStream;
  #shown_at = Number.NEGATIVE_INFINITY;
  #isOpen = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Of now. */
  show(text: string): void {
    if (this.#out.isTTY) {
      this.#out.write(`${CLEAR}${text.slice(0, (this.#out.columns || 80) - 1)}`);
      this.#isOpen = true;
    } else if (performance.now() - this.#shown_at >= CALM_MS) {
      this.#out.write(`${text}\n`);
      this.#shown_at = performance.now();
    }
  }

  /** Something that stays. */
  say(text: string): void {
    this.#out.write(`${this.#isOpen ? CLEAR : ''}${text}\n`);
    this.#isOpen = false;
  }
}

/** As people read numbers. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
