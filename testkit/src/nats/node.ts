/**
 * Runs one server of NATS with JetStream as a child process.
 *
 * Invariants: it signals only its own child, and the child never outlives this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../process/failure.ts';
import { greets } from './ask.ts';

const START_MS = 15_000;
const STOP_MS = 10_000;

/** Where a node listens, and where its files are. */
export interface NatsPlace {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly routePort: number;
  /** Folder of the configuration, the log and the streams. */
  readonly folder: string;
  /** A prefix of the command, for example to run it in a network namespace. */
  readonly wrapper?: readonly string[];
  /** Whether the node syncs its files every two minutes only, for tests without a power loss. */
  readonly isLazy?: boolean;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** One server of NATS. */
export class NatsNode {
  readonly place: NatsPlace;
  private readonly program: string;
  private readonly config: string;
  private child: ChildProcess | undefined;

  /** Writes the configuration of a node. With `peers`, the nodes form one cluster. */
  constructor(program: string, place: NatsPlace, peers: readonly NatsPlace[] = []) {
    this.program = program;
    this.place = place;
    mkdirSync(place.folder, { recursive: true });
    this.config = join(place.folder, 'nats.conf');
    writeFileSync(this.config, configOf(place, peers));
  }

  /** The URL for `--nats`. */
  get url(): string {
    return `nats://${this.place.host}:${this.place.port}`;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The process while it runs. */
  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  /** Starts the server; resolves when it greets its clients. */
  async start(): Promise<void> {
    const { name, folder, host, port, wrapper = [] } = this.place;
    const command = [...wrapper, this.program, '-c', this.config];
    const log = openSync(join(folder, 'nats.log'), 'a', 0o600);
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', log, log] });
    closeSync(log);
    this.child = child;
    children.add(child);
    child.once('exit', () => children.delete(child));
    child.once('error', () => children.delete(child));
    const end = performance.now() + START_MS;
    while (!(await greets(port, host))) {
      if (child.exitCode !== null || performance.now() > end)
        throw new Failure('nats_failed', `${name} of NATS does not start; its log is ${folder}/nats.log`);
      await sleep(20);
    }
  }

  /** Sends SIGKILL, which acts like a crash. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Sends SIGTERM, and SIGKILL if that is not enough. */
  async stop(): Promise<void> {
    await Promise.race([this.end('SIGTERM'), sleep(STOP_MS, undefined, { ref: false })]);
    await this.kill();
  }

  /** Suspends the process. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

/** Every message is on disk before its acknowledgement, unless the place is lazy. */
function configOf(place: NatsPlace, peers: readonly NatsPlace[]): string {
  const lines = [
    `server_name: "${place.name}"`,
    `listen: "${place.host}:${place.port}"`,
    `jetstream { store_dir: "${join(place.folder, 'store')}"${place.isLazy ? '' : ', sync_interval: always'} }`,
  ];
  if (peers.length > 0) {
    const routes = peers.map(({ host, routePort }) => `"nats://${host}:${routePort}"`).join(', ');
    lines.push(`cluster { name: "nodes", listen: "${place.host}:${place.routePort}", routes: [${routes}] }`);
  }
  return `${lines.join('\n')}\n`;
}
