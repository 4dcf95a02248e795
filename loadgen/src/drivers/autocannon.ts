/**
 * The closed-loop driver: starts autocannon in a process of its own and talks to it over the child's channel.
 *
 * What must stay true: the child is ended with the run, and a child that ends by itself fails the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchFailure } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import { type Placement, pinningCommand } from '../placement.ts';
import type { PoolFacts } from '../pool.ts';
import type { Command, Reply } from './autocannon-process.ts';
import type { Driver, Generator, Job, Sent } from './driver.ts';

const PROGRAM = fileURLToPath(new URL('./autocannon-main.ts', import.meta.url));

export function autocannonDriver(placement: Placement, lifetime: Lifetime): Driver {
  return {
    name: 'autocannon',
    model: 'closed',
    prepare: (job) => prepare(job, placement, lifetime),
  };
}

async function prepare(job: Job, placement: Placement, lifetime: Lifetime): Promise<Generator> {
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, PROGRAM];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const release = lifetime.add(() => end(child));
  const prepared = await lifetime.orInterrupted(ask(child, { kind: 'prepare', job }, ignore));
  const pool: PoolFacts = expectReply(prepared, 'prepared').pool;
  return {
    pool,
    async send(url, range, onProgress): Promise<Sent> {
      const reply = await lifetime.orInterrupted(ask(child, { kind: 'send', url, range }, onProgress));
      return expectReply(reply, 'sent').sent;
    },
    async close() {
      await release();
    },
  };
}

function ignore(): void {}

/** Sends a command and waits for what is no progress: the child does one thing at a time. */
function ask(
  child: ChildProcess,
  command: Command,
  onProgress: (acknowledged: number) => void,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      const reply = message as Reply;
      if (reply.kind === 'progress') onProgress(reply.acknowledged);
      else finish(() => resolve(reply));
    };
    const onClose = (code: number | null, signal: string | null) => {
      const how = signal ?? `code ${code}`;
      finish(() => reject(new BenchFailure('generator_failed', `the generator ended by itself (${how})`)));
    };
    const onError = (error: Error) => {
      finish(() =>
        reject(new BenchFailure('generator_failed', `the generator could not be started: ${error.message}`)),
      );
    };
    const finish = (settle: () => void) => {
      child.off('message', onMessage).off('close', onClose).off('error', onError);
      settle();
    };
    child.on('message', onMessage).on('close', onClose).on('error', onError);
    if (child.connected) child.send(command);
  });
}

function expectReply<K extends Reply['kind']>(reply: Reply, kind: K): Extract<Reply, { kind: K }> {
  if (reply.kind === 'failed') throw new BenchFailure('generator_failed', reply.message);
  if (reply.kind !== kind) throw new BenchFailure('generator_failed', `expected ${kind}, got ${reply.kind}`);
  return reply as Extract<Reply, { kind: K }>;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
