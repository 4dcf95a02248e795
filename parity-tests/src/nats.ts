/** Starts a server of NATS with JetStream for a scenario, and servers that share a stream of it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { greets } from '@twin-ingest/testkit/nats/ask.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type ScenarioContext, until } from './scenario.ts';

export { askNats } from '@twin-ingest/testkit/nats/ask.ts';

export const STREAM = 'board';

/** One server of NATS, which keeps its streams in the folder of the scenario. */
export class Nats {
  readonly port: number;
  private readonly program: string;
  private readonly config: string;
  private child: ChildProcess | undefined;

  private constructor(program: string, port: number, config: string) {
    this.program = program;
    this.port = port;
    this.config = config;
  }

  /** Starts a server; skips the scenario where the program cannot be installed. */
  static async start(context: ScenarioContext, more = ''): Promise<Nats> {
    const program = await programOf(context);
    const port = (await freePorts(1))[0]!;
    const config = join(context.folder, 'nats.conf');
    const store = `store_dir: "${join(context.folder, 'nats')}", sync_interval: always`;
    writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { ${store} }\n${more}`);
    const nats = new Nats(program, port, config);
    context.atEnd(() => nats.stop());
    await nats.run();
    return nats;
  }

  /** Starts the server again after `stop`. */
  async run(): Promise<void> {
    this.child = spawn(this.program, ['-c', this.config], { stdio: 'ignore' });
    await until(() => greets(this.port), 'NATS answers');
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** The flags of a server that shares the stream. */
  get flags(): readonly string[] {
    return this.flagsFor(this.port);
  }

  /** The flags of a server that reaches NATS at another port. */
  flagsFor(port: number): readonly string[] {
    const url = `nats://127.0.0.1:${port}`;
    return [
      '--store',
      'jetstream',
      '--nats',
      url,
      '--stream',
      STREAM,
      '--nats-replicas',
      '1',
      '--discard-large-metadata',
    ];
  }
}

/** Returns the path of nats-server; skips the scenario where it cannot be installed. */
export async function programOf(context: ScenarioContext): Promise<string> {
  const program = await natsProgram();
  return 'missing' in program ? context.skip(program.missing) : program.path;
}

/** The member `cluster` of `/api/health`. */
export interface ClusterHealth {
  readonly stream: string;
  readonly connected: boolean;
  readonly applied: number;
  readonly waiting: number;
  readonly failure: string | null;
}

export async function clusterOf(client: ApiClient): Promise<ClusterHealth> {
  return (await client.get('/api/health')).json<{ cluster: ClusterHealth }>().cluster;
}

/** Waits until a copy has a sequence of the stream. */
export async function untilApplied(client: ApiClient, sequence: number): Promise<void> {
  const isDone = async (): Promise<boolean> => (await clusterOf(client)).applied >= sequence;
  await until(isDone, `sequence ${sequence} in the copy`, 20_000);
}

/** The reads that must be equal on every server of a stream. */
const READS = [
  '/api/events?limit=1000',
  '/api/events?order=asc&limit=1000',
  '/api/sessions?limit=1000',
  '/api/stats',
  '/api/filter-options',
];

/** Checks that two servers answer every read with the same bytes. */
export async function compareAnswers(one: ApiClient, other: ApiClient): Promise<void> {
  for (const path of READS) {
    const [first, second] = [await one.get(path), await other.get(path)];
    assert.equal(first.status, 200, path);
    assert.equal(second.text, first.text, path);
  }
  const epochOf = async (client: ApiClient): Promise<string> =>
    (await client.get('/api/health')).json<{ epoch: string }>().epoch;
  assert.equal(await epochOf(other), await epochOf(one));
}

/** Starts a server that shares the stream, with a database of this name. */
export function startNode(
  context: ScenarioContext,
  nats: Nats,
  target: TargetName,
  name: string,
  port = nats.port,
): Promise<RunningServer> {
  return context.start({ target, db: context.db(`${name}.db`), flags: nats.flagsFor(port) });
}
