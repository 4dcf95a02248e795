/**
 * A server with `--stdin` as a child process (rules PRO-12 to PRO-14). It takes events from its standard input at
 * saturation, and writes results to its standard output.
 *
 * Invariants: chunks are made before the clock starts. The clock stops when the last event is acknowledged. The server
 * must exit with 0. Node gives a child a Unix socket pair as its standard input, not a pipe.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { nowMs } from '../observe/clock.ts';
import { cpuBetween, threadTimes } from '../observe/probe.ts';

/** One piece of the stream. It is repeated with new ids. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly ids: readonly number[];
  readonly events: number;
}

export interface PipeOrder {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly chunks: readonly Chunk[];
  /** Number of chunks of the warm-up, and number of measured chunks. */
  readonly warm_up: number;
  readonly count: number;
}

export interface Piped {
  readonly events: number;
  readonly acknowledged: number;
  readonly bytes: number;
  readonly duration_ms: number;
  readonly server_cpu_ms: number | null;
  readonly client_cpu_us: number;
}

/** Overwrites the ids in `bytes` with new ones. */
type Stamp = (bytes: Buffer, ids: readonly number[]) => void;

const STUCK_MS = 60_000;

export async function runPipe(order: PipeOrder, stamp: Stamp): Promise<Piped> {
  const { command, cwd, chunks, warm_up, count } = order;
  const stream = Array.from({ length: warm_up + count }, (_, i) => {
    const chunk = chunks[i % chunks.length]!;
    const bytes = Buffer.from(chunk.bytes);
    stamp(bytes, chunk.ids);
    return { bytes, events: chunk.events };
  });
  const child = spawn(command[0]!, command.slice(1), { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  try {
    const results = new Results(child);
    const pid = await results.ready();
    const before = stream.slice(0, warm_up);
    const counted = stream.slice(warm_up);
    const warm = eventsOf(before);
    await write(child, before);
    await results.reached(warm);
    const ran = await threadTimes(pid);
    const cpu = process.cpuUsage();
    const started_ms = nowMs();
    await write(child, counted);
    await results.reached(warm + eventsOf(counted));
    const duration_ms = nowMs() - started_ms;
    const used = process.cpuUsage(cpu);
    const server_cpu_ms = cpuBetween(ran, await threadTimes(pid));
    child.stdin!.end();
    const [code, signal] = (await ended) as [number | null, string | null];
    if (code !== 0) throw new Error(`the server ended with ${signal ?? `code ${code}`}: ${results.log}`);
    return {
      events: eventsOf(counted),
      acknowledged: results.received,
      bytes: counted.reduce((sum, { bytes }) => sum + bytes.length, 0),
      duration_ms,
      server_cpu_ms,
      client_cpu_us: used.user + used.system,
    };
  } finally {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}

const eventsOf = (chunks: readonly { readonly events: number }[]) =>
  chunks.reduce((sum, { events }) => sum + events, 0);

async function write(child: ChildProcess, chunks: readonly { readonly bytes: Buffer }[]): Promise<void> {
  for (const { bytes } of chunks) if (!child.stdin!.write(bytes)) await once(child.stdin!, 'drain');
}

/** Reads the lines of the server's standard output. */
class Results {
  received = 0;
  log = '';
  #rest = '';
  #pid: number | null = null;
  #problem: Error | null = null;
  #onLine: () => void = () => undefined;

  constructor(child: ChildProcess) {
    child.stdout!.setEncoding('latin1').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop()!;
      for (const line of lines) this.#read(line);
      this.#onLine();
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-1000);
    });
    child.on('error', (error) => this.#fail(error));
    child.stdin!.on('error', (error) => this.#fail(error));
    child.on('close', () => this.#fail(new Error(`the server ended before its last result: ${this.log}`)));
  }

  async ready(): Promise<number> {
    await this.#until(() => this.#pid !== null, 'the server is not ready');
    return this.#pid!;
  }

  reached(events: number): Promise<void> {
    return this.#until(() => this.received >= events, `${events} events are not acknowledged`);
  }

  #read(line: string): void {
    if (line.startsWith('{"event":"ready"')) this.#pid = (JSON.parse(line) as { pid: number }).pid;
    else {
      const [, received] = /^\{"event":"batch",.{0,80}?"received":(\d+)/.exec(line) ?? [];
      if (received === undefined) this.#fail(new Error(`the server says ${line.slice(0, 300)}`));
      else this.received += Number(received);
    }
  }

  #fail(error: Error): void {
    this.#problem ??= error;
    this.#onLine();
  }

  #until(isReached: () => boolean, problem: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => this.#fail(new Error(`${problem} within ${STUCK_MS} ms`)), STUCK_MS);
      this.#onLine = () => {
        if (!isReached() && this.#problem === null) return;
        clearTimeout(late);
        this.#onLine = () => undefined;
        if (isReached()) resolve();
        else reject(this.#problem);
      };
      this.#onLine();
    });
  }
}
