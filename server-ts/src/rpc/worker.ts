/**
 * Reads and answers large bodies in a thread of its own, so that other requests are answered at the same time (rule
 * BOD-05).
 *
 * This half lives in the main thread; the other half is `worker-thread`. The thread starts with the first large body.
 * It ends after a while without one, which frees its memory. Only server-ts has this file: in Rust any thread can do
 * this work.
 */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import type { Calls, Reading } from './work.ts';

/** Start parameters of the thread. */
export interface CallReaderData {
  readonly role: 'calls';
}

/** One body; its memory is transferred to the thread. */
export interface Job {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly format: Format;
  readonly answer: Format;
  readonly reading: Reading;
}

/** The result: the whole answer, or the body with calls that must run. `ms` is the duration. */
export type JobResult = { readonly ms: number } & (
  | { readonly kind: 'calls'; readonly calls: Calls; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> | undefined }
);

/**
 * Milliseconds that the thread stays idle before it ends. V8 keeps the pages of its young objects for another 8 s, in
 * case another thread starts (measured with Node 24).
 */
const IDLE_MS = 500;
/** Memory for young objects in the thread, in each of two semi-spaces. */
const YOUNG_MB = 16;

interface Waiting {
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: Failure) => void;
}

export class CallReader {
  private readonly entry: URL;
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  /** Jobs in the order in which the thread answers them. */
  private readonly waiting: Waiting[] = [];

  constructor(entry: URL) {
    this.entry = entry;
  }

  /** Reads a body, and answers it unless a method must run. */
  read(job: Job): Promise<JobResult> {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.postMessage(job, [job.body.buffer]);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  /** Ends the thread. */
  close(): void {
    clearTimeout(this.idle);
    void this.worker?.terminate();
    this.worker = undefined;
  }

  private start(): Worker {
    const data: CallReaderData = { role: 'calls' };
    // `main` keeps the semi-space small. Here most objects live for one body, and a small semi-space would copy each
    // of them several times. The flag takes effect when a thread starts.
    setFlagsFromString(`--min-semi-space-size=${YOUNG_MB}`);
    const worker = new Worker(this.entry, { workerData: data });
    worker.once('online', () => setFlagsFromString('--min-semi-space-size=0'));
    worker.on('message', (result: JobResult) => {
      this.waiting.shift()?.resolve(result);
      if (this.waiting.length === 0) this.idle = setTimeout(() => this.close(), IDLE_MS);
    });
    // The thread lacks memory; the next body gets a new thread.
    worker.on('error', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waiting.splice(0)) reject(new Failure('internal'));
    });
    return worker;
  }
}
