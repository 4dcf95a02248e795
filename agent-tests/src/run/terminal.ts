/**
 * Runs an agent in a terminal, which `script` of util-linux provides. A test reads the screen as text and presses keys.
 *
 * Invariant: as in `process.ts`, of the caller's variables the child gets only `PATH`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from '../agents/agent.ts';
import { quote } from './quote.ts';

const DEADLINE_MS = 60_000;
const INTERRUPT = '\u0003';
const PRESS_EVERY_MS = 2_000;
const QUIT_EVERY_MS = 400;
const QUIT_PRESSES = 50;
const GRACE_MS = 3_000;

export interface Terminal {
  /** Returns all text shown so far. It has no blanks, since agents position text by moving the cursor. */
  shown(): string;
  /** Presses keys, and again every two seconds, since an agent may drop keys that follow its question at once. */
  pressUntil(keys: string, isThere: () => boolean, what: string): Promise<void>;
  /** Waits until `isThere` holds. Otherwise it rejects after a time limit, with the end of the shown text. */
  until(isThere: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Interrupts the agent until it ends; some agents end only after a second interrupt. */
  quit(): Promise<void>;
  /** Ends the agent if it still runs. */
  end(): Promise<void>;
}

export function openTerminal({ file, args }: Command, env: Record<string, string>, cwd: string): Terminal {
  const line = `stty cols 120 rows 40; exec ${[file, ...args].map(quote).join(' ')}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stdin.on('error', () => {});
  let isOver = false;
  const ended = once(child, 'close')
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });
  const shown = () => stripVTControlCharacters(text).replaceAll(/\s+/g, '');
  const until: Terminal['until'] = async (isThere, what) => {
    const end = performance.now() + DEADLINE_MS;
    while (!(await isThere())) {
      if (isOver || performance.now() > end)
        throw new Error(
          `${what}: ${isOver ? 'the agent has ended' : 'not in time'}; it shows ${shown().slice(-1_500)}`,
        );
      await wait(50);
    }
  };
  return {
    shown,
    async pressUntil(keys, isThere, what) {
      child.stdin.write(keys);
      const again = setInterval(() => child.stdin.write(keys), PRESS_EVERY_MS);
      await until(isThere, what).finally(() => clearInterval(again));
    },
    until,
    async quit() {
      for (let press = 0; !isOver && press < QUIT_PRESSES; press++) {
        child.stdin.write(INTERRUPT);
        await Promise.race([ended, wait(QUIT_EVERY_MS)]);
      }
      if (!isOver) throw new Error(`the agent does not quit; it shows ${shown().slice(-1_500)}`);
    },
    async end() {
      if (!isOver) child.kill('SIGTERM');
      await Promise.race([ended, wait(GRACE_MS)]);
      if (!isOver) child.kill('SIGKILL');
    },
  };
}
