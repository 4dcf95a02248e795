/** Repeats a piece of work until it is stopped, with pauses between that can be asked for. */

export class Loop {
  private readonly work: () => Promise<void>;
  private running: Promise<void> | undefined;
  private ended = false;
  private paused = false;
  private inWork = false;
  private wake: (() => void)[] = [];

  constructor(work: () => Promise<void>) {
    this.work = work;
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Resolves when the work is at its end; none begins before `resume`. */
  async pause(): Promise<void> {
    this.paused = true;
    while (this.inWork) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  resume(): void {
    this.paused = false;
    for (const wake of this.wake.splice(0)) wake();
  }

  async stop(): Promise<void> {
    this.ended = true;
    this.resume();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.ended) {
      if (this.paused) {
        await new Promise<void>((resolve) => this.wake.push(resolve));
        continue;
      }
      this.inWork = true;
      await this.work();
      this.inWork = false;
    }
  }
}
