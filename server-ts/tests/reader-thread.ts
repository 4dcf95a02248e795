/** Replaces a reader's thread: a read of a session, or a search, runs until the test opens the gate. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Read, ReaderData, ReadResult } from '../src/store/read.ts';

/** State that the test shares with its threads. */
export interface GateData extends ReaderData {
  /** 0 while the gate is closed; then the number of started reads. */
  readonly gate: Int32Array;
}

const { gate } = workerData as GateData;
parentPort!.on('message', (read: Read | 'close') => {
  if (read === 'close') {
    parentPort!.close();
    return;
  }
  Atomics.add(gate, 1, 1);
  if (read.kind === 'get_session' || read.kind === 'list_events') Atomics.wait(gate, 0, 0);
  parentPort!.postMessage({ kind: 'json', bytes: undefined } satisfies ReadResult);
});
