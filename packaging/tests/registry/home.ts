/**
 * The home of a newcomer: empty, with one version of Node and nothing else, and npm that knows the local registry.
 *
 * Invariant: nothing of the caller's environment reaches it, and every process that it starts ends with it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 120_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ReadyLine {
  readonly url: string;
  readonly pid: number;
  readonly runtime: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ready: ReadyLine;
  /** Milliseconds from the start of npx until the server's ready line. */
  readonly ms: number;
  readonly ended: Promise<Ended>;
  /** Sends SIGINT to the whole process group, as a terminal does. */
  ctrlC(): Promise<Ended>;
}

export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'twin-ingest-home-'));
  /** Folder of temporary files. */
  readonly temporary = join(this.path, 'tmp');
  readonly #node: string;
  readonly #npm: string;
  readonly #running = new Set<ChildProcess>();
  readonly #env: Record<string, string>;

  constructor(tools: string, node: 'node20' | 'node22' | 'node24', registry: string, more = {}) {
    this.#node = join(tools, 'node_modules', node, 'bin');
    this.#npm = join(tools, 'node_modules/npm/bin');
    mkdirSync(this.temporary);
    this.#env = {
      HOME: this.path,
      TMPDIR: this.temporary,
      PATH: `${this.#node}:/usr/bin:/bin`,
      npm_config_registry: registry,
      npm_config_update_notifier: 'false',
      ...more,
    };
  }

  /** Sets variables of the environment. */
  set(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#env, variables);
  }

  /** Returns the environment of a shell of this home, in which npm and npx are commands. */
  shellEnvironment(): Record<string, string> {
    return { ...this.#env, PATH: `${this.#node}:${join(this.#npm, '../../.bin')}:/usr/bin:/bin` };
  }

  /** Runs `npx --yes twin-ingest WORDS` to its end. */
  async npx(...words: string[]): Promise<Ended> {
    return await this.#spawn('npx-cli.js', ['--yes', 'twin-ingest', ...words]).ended;
  }

  async npm(...words: string[]): Promise<Ended> {
    return await this.#spawn('npm-cli.js', words).ended;
  }

  /** Runs a script with this home's Node. */
  async node(...words: string[]): Promise<Ended> {
    return await this.#run(words).ended;
  }

  /** Starts a server through npx, and waits for its ready line. */
  async start(...flags: string[]): Promise<Started> {
    const words = ['--yes', 'twin-ingest', '--port', '0', '--no-open', ...flags];
    return await this.startNode(join(this.#npm, 'npx-cli.js'), ...words);
  }

  /** Starts a script that starts a server, and waits for its ready line. */
  async startNode(...words: string[]): Promise<Started> {
    const from = performance.now();
    const { child, ended } = this.#run(words);
    const line = await Promise.race([firstLine(child), ended]);
    if (typeof line !== 'string')
      throw new Error(`npx ended with ${line.code}\n${line.stdout}${line.stderr}`);
    const ms = performance.now() - from;
    const ready = JSON.parse(line) as ReadyLine;
    const ctrlC = async () => {
      process.kill(-child.pid!, 'SIGINT');
      return await ended;
    };
    return { child, ready, ms, ended, ctrlC };
  }

  /** Runs a script until stderr matches, and sends SIGINT to its process group. */
  async interrupted(pattern: RegExp, ...words: string[]): Promise<Ended> {
    const { child, ended } = this.#run(words);
    let text = '';
    await new Promise<void>((resolve) => {
      child.stderr!.on('data', (more: string) => {
        text += more;
        if (pattern.test(text)) resolve();
      });
      void ended.then(() => resolve());
    });
    process.kill(-child.pid!, 'SIGINT');
    return await ended;
  }

  /** Returns the processes that have this home in their environment. Linux alone can list them. */
  processes(): string[] {
    return readdirSync('/proc').filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${this.path}\0`)
        );
      } catch {
        return false;
      }
    });
  }

  /** Ends what a failed test left, and removes the folder. A server ends with the command that started it. */
  remove(): void {
    for (const { pid } of this.#running) process.kill(-pid!, 'SIGKILL');
    rmSync(this.path, { recursive: true, force: true });
  }

  #spawn(script: string, words: readonly string[]) {
    return this.#run([join(this.#npm, script), ...words]);
  }

  #run(words: readonly string[]) {
    const child = spawn(join(this.#node, 'node'), words, {
      cwd: this.path,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#running.add(child);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]!.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), LIMIT_MS);
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => {
        clearTimeout(late);
        this.#running.delete(child);
        resolve({ code, ...output });
      });
    });
    return { child, ended };
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout!.on('data', (more: string) => {
      text += more;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}

/** Returns whether a process with this pid runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
