/**
 * A request and its answer, as undici's dispatcher tells of them: `Pool.request` makes a stream of every answer, which
 * took a third of the time of who posts, on cores that the server shares.
 */
import type { Dispatcher } from 'undici';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

export class Exchange implements Dispatcher.DispatchHandler {
  /** The whole answer; rejects with the error of the connection. */
  readonly answered: Promise<Answered>;
  readonly #resolve: (answered: Answered) => void;
  readonly #reject: (error: Error) => void;
  #status = 0;
  #text = '';

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    this.answered = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** undici wants each of these. */
  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    // Revisions, numbers and ids: answers to a post are ASCII.
    this.#text += chunk.toString('latin1');
  }

  onResponseEnd(): void {
    this.#resolve({ status: this.#status, text: this.#text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}
