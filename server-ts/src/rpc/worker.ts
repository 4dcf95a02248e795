/**
 * Reads and answers large bodies in a thread of its own, so that other requests are answered meanwhile (rule BOD-05).
 *
 * Lives in the main thread; the other half is `worker-thread`. The thread starts with the first large body and ends once
 * none came for a while, which gives its memory back. Only this side has this file: in Rust any thread can do this.
 */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import type { Calls, Reading } from './work.ts';

/** What the thread starts with. */
export interface CallReaderData {
  readonly role: 'calls';
}

/** One body. Its memory goes to the thread. */
export interface Job {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly format: Format;
  readonly answer: Format;
  readonly reading: Reading;
}

/** What became of it: the whole answer, or calls that have to run, with the body. `ms` is how long it took. */
export type JobResult = { readonly ms: number } & (
  | { readonly kind: 'calls'; readonly calls: Calls; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array<ArrayBuffer> | undefined }
);

/** How long the thread stays without work. */
const IDLE_MS = 2000;
/** How much memory young objects have in the thread, in each of two halves. */
const YOUNG_MB = 16;

interface Waiting {
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: Failure) => void;
}

export class CallReader {
  private readonly entry: URL;
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;
  /** In the order in which the thread answers them. */
  private readonly waiting: Waiting[] = [];

  constructor(entry: URL) {
    this.entry = entry;
  }

  /** Reads a body, and answers it where nothing has to run. */
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
    // `main` keeps the space of young objects small. Here most objects live for one body: with a small space each would
    // be copied several times. The flag counts when a thread starts.
    setFlagsFromString(`--min-semi-space-size=${YOUNG_MB}`);
    const worker = new Worker(this.entry, { workerData: data });
    worker.once('online', () => setFlagsFromString('--min-semi-space-size=0'));
    worker.on('message', (result: JobResult) => {
      this.waiting.shift()?.resolve(result);
      if (this.waiting.length === 0) this.idle = setTimeout(() => this.close(), IDLE_MS);
    });
    // It lacks memory; the next body gets a new thread.
    worker.on('error', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waiting.splice(0)) reject(new Failure('internal'));
    });
    return worker;
  }
}
