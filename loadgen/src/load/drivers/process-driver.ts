/**
 * A driver whose generator is a separate process. It starts the process and communicates with it over the IPC channel.
 *
 * Invariants: the child ends with the run. A child that ends by itself fails the run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import { type Placement, pinningCommand } from '../../plan/placement.ts';
import type { Driver, DriverFacts, Generator, Job } from './driver.ts';
import type { Command, Reply } from './generator-process.ts';

/** Returns a driver. Its child process runs `program`, which calls `serveGenerator`. */
export function processDriver(
  facts: DriverFacts,
  program: string,
  placement: Placement,
  lifetime: Lifetime,
): Driver {
  return { facts, prepare: (job) => prepare(job, program, placement, lifetime) };
}

/** Returns the version of an installed package from its package.json. */
export function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string };
  return version;
}

async function prepare(
  job: Job,
  program: string,
  placement: Placement,
  lifetime: Lifetime,
): Promise<Generator> {
  const command = [...pinningCommand(placement.generator_cpus), process.execPath, program];
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  // The next order reports an error of the child. Without this listener, the error would end the run.
  child.on('error', ignore);
  const release = lifetime.add(() => end(child));
  const prepared = await lifetime.orInterrupted(ask(child, { kind: 'prepare', job }, ignore));
  const { pool } = expectReply(prepared, 'prepared');
  return {
    pool,
    async send(order, onProgress) {
      const reply = await lifetime.orInterrupted(ask(child, { kind: 'send', order }, onProgress));
      return expectReply(reply, 'sent').sent;
    },
    async close() {
      await release();
    },
  };
}

function ignore(): void {}

/** Sends a command, passes progress on, and waits for the reply. The child handles one command at a time. */
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
      finish(() => reject(new BenchFailure('generator_failed', `the generator failed: ${error.message}`)));
    };
    const finish = (settle: () => void) => {
      child.off('message', onMessage).off('close', onClose).off('error', onError);
      settle();
    };
    child.on('message', onMessage).on('close', onClose).on('error', onError);
    // A generator may have ended since its last order.
    if (hasEnded(child)) onClose(child.exitCode, child.signalCode);
    else if (child.connected) child.send(command);
  });
}

function expectReply<K extends Reply['kind']>(reply: Reply, kind: K): Extract<Reply, { kind: K }> {
  if (reply.kind === 'failed') throw new BenchFailure('generator_failed', reply.message);
  if (reply.kind !== kind) throw new BenchFailure('generator_failed', `expected ${kind}, got ${reply.kind}`);
  return reply as Extract<Reply, { kind: K }>;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
