/**
 * Checks a built Rust server before it is packed: the glibc that it needs, and that it serves where it can run.
 *
 * A program of another processor runs with the runner that cargo's variable names, such as
 * `CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { compareVersions, neededGlibc } from './glibc.ts';
import type { Platform } from './platforms.ts';
import { run } from './run.ts';

/** Returns whether the program ran: another platform's does not, unless a runner is there for it. */
export async function checkServer(program: string, platform: Platform, version: string): Promise<boolean> {
  const { glibc } = platform;
  if (glibc !== undefined) {
    const needed = await neededGlibc(program);
    if (compareVersions(needed, glibc) > 0)
      throw new Error(`${program} needs glibc ${needed}, newer than ${glibc}`);
  }
  const runner = runnerOf(platform);
  if (runner === null) return false;
  const [command, ...args] = [...runner, program, '--version'];
  const printed = await run(command!, args, { limitMs: 10_000 });
  if (!printed.startsWith(`ingest-server ${version} `))
    throw new Error(`${program} --version prints ${printed}`);
  await serves(program, runner);
  return true;
}

/** Returns the words before the program; `null` when it cannot run here. */
function runnerOf({ os, cpu, triple }: Platform): readonly string[] | null {
  const given = process.env[`CARGO_TARGET_${triple.toUpperCase().replaceAll('-', '_')}_RUNNER`];
  if (given !== undefined && given !== '') return given.split(' ');
  return os === process.platform && cpu === process.arch ? [] : null;
}

const EVENT = JSON.stringify({ session_id: 's1', agent_type: 'claude_code', event_type: 'tool_use' });

/** Starts the program twice on one database: it stores an event, is killed, has the event, and ends with 0. */
async function serves(program: string, wrapper: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-check-'));
  const target = { ...TARGETS.rs, command: program };
  const start = () =>
    startServer('rs', { flags: ['--db', join(folder, 'e.db')], cwd: folder, wrapper }, target);
  try {
    const first = await start();
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${first.url}/api/events`, { method: 'POST', headers, body: EVENT });
    const page = await (await fetch(`${first.url}/`)).text();
    await first.kill();
    const second = await start();
    const { total_events } = (await (await fetch(`${second.url}/api/stats`)).json()) as {
      total_events: number;
    };
    second.signal('SIGINT');
    const { code } = await second.exited;
    const found = [status, /<!doctype html>/i.test(page), total_events, code];
    if (JSON.stringify(found) !== '[201,true,1,0]')
      throw new Error(`${program} does not serve: ${JSON.stringify(found)}\n${second.stderr()}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
