/**
 * Makes a fresh clone of this checkout as it is, with changes that are not committed, and runs commands in it.
 *
 * Invariant: commands get an empty home folder, so that they change nothing of the user. Caches of package managers stay
 * those of the user, so that nothing is fetched twice.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { ROOT, TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import PACKAGE from '../../../package.json' with { type: 'json' };

/** What `pnpm` stands for in CONTRIBUTING.md. */
const PNPM = `npx --yes ${PACKAGE.packageManager}`;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export interface Running {
  /** Resolves when the output matches, to the match; to `null` when the program ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray | null>;
  readonly ended: Promise<Ended>;
  /** Ends it as Ctrl-C in a terminal does. */
  ctrlC(): Promise<Ended>;
}

export class Clone {
  readonly #folder = mkdtempSync(join(tmpdir(), 'twin-ingest-readme-'));
  readonly path = join(this.#folder, 'clone');
  readonly #home = join(this.#folder, 'home');
  readonly #tools = join(this.#folder, 'tools');
  readonly #running = new Set<number>();

  readonly #limit_ms: number;

  /**
   * `isBuilt`: the clone gets the Rust program of this checkout, which takes minutes to build. A command that takes
   * longer than the limit is killed.
   */
  constructor({ isBuilt, limit_ms }: { readonly isBuilt: boolean; readonly limit_ms: number }) {
    this.#limit_ms = limit_ms;
    mkdirSync(this.#home);
    mkdirSync(this.#tools);
    writeFileSync(join(this.#tools, 'pnpm'), `#!/bin/sh\nexec ${PNPM} "$@"\n`, { mode: 0o755 });
    // Otherwise curl exits with 0 whatever the server responds.
    writeFileSync(join(this.#home, '.curlrc'), 'fail\n');
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const path of files.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path))))
      cpSync(join(ROOT, path), join(this.path, path), { recursive: true, verbatimSymlinks: true });
    mkdirSync(join(this.path, 'data'));
    this.#git('init', '--quiet');
    this.#git('add', '.');
    this.#git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--message=all');
    if (!isBuilt) return;
    mkdirSync(this.programs, { recursive: true });
    copyFileSync(TARGETS.rs.artefact, join(this.programs, basename(TARGETS.rs.artefact)));
  }

  /** Returns the changed and new files of the clone. */
  changed(): string {
    return this.#git('status', '--porcelain');
  }

  /** Writes a file that Git ignores. */
  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), content);
  }

  /** The folder of the Rust program. */
  get programs(): string {
    return join(this.path, dirname(relative(ROOT, TARGETS.rs.artefact)));
  }

  /** Starts a command in the clone as a shell does that finds the programs of these folders. */
  start(command: string, port: number, programs: readonly string[]): Running {
    // Scripts of pnpm run tests, which choose their own ports.
    const chosen = /\bpnpm\b/.test(command) ? {} : { INGEST_PORT: String(port) };
    const env = userEnvironment();
    const path = [...programs, this.#tools, env.PATH].join(delimiter);
    return this.run(command, this.path, { ...env, HOME: this.#home, ...chosen, PATH: path });
  }

  /** Starts a command in a folder, with this environment alone. */
  run(command: string, cwd: string, env: NodeJS.ProcessEnv): Running {
    const child = spawn('bash', ['-c', command], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    const pid = child.pid!;
    this.#running.add(pid);
    let output = '';
    const waiting = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const look of waiting) look();
      });
    const late = setTimeout(() => signal(pid, 'SIGKILL'), this.#limit_ms);
    const ended = once(child, 'close').then(([code]): Ended => {
      clearTimeout(late);
      this.#running.delete(pid);
      return { code: code as number | null, output };
    });
    const until = (pattern: RegExp) =>
      new Promise<RegExpExecArray | null>((resolve) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match === null) return;
          waiting.delete(look);
          resolve(match);
        };
        waiting.add(look);
        void ended.then(() => resolve(pattern.exec(output)));
        look();
      });
    const ctrlC = async () => {
      if (this.#running.has(pid)) signal(pid, 'SIGINT');
      return await ended;
    };
    return { until, ended, ctrlC };
  }

  /** Ends what still runs, and removes the clone. */
  remove(): void {
    for (const pid of this.#running) signal(pid, 'SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.path, encoding: 'utf8' });
  }
}

/** Signals the process group of a command, unless all of it has ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** What a shell of the user has, and no variable that leads a command to the user's settings or data. */
const KEPT =
  /^(?:PATH|LANG|LC_\w+|CI|CARGO_HOME|RUSTUP_HOME|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|(?:https?|no|all)_proxy)$/i;

/** Returns the environment of a shell that has the user's programs, and the caches of their package managers. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const own = homedir();
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  // pnpm puts the programs of this checkout first.
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !`${folder}/`.startsWith(ROOT));
  return {
    CARGO_HOME: join(own, '.cargo'),
    RUSTUP_HOME: join(own, '.rustup'),
    npm_config_cache: process.env.npm_config_cache ?? join(own, '.npm'),
    npm_config_userconfig: join(own, '.npmrc'),
    pnpm_config_store_dir: join(process.env.XDG_DATA_HOME ?? join(own, '.local/share'), 'pnpm/store'),
    ...Object.fromEntries(kept),
    PATH: path.join(delimiter),
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
