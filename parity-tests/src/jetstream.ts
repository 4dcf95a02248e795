/**
 * Gives servers under test a stream of NATS: one node for a run, and a stream for each database.
 *
 * The node syncs its files every two minutes only, since no test cuts the power.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askNats } from '@twin-ingest/testkit/nats/ask.ts';
import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import { NatsNode } from '@twin-ingest/testkit/nats/node.ts';
import type { NatsProgram } from '@twin-ingest/testkit/nats/program.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';

/** The log line of a server whose copy follows its stream, and how long the suite waits for it. */
const FOLLOWING = 'the copy follows its stream';
const FOLLOWING_MS = 1_000;

/** A node of NATS for all servers of a run. */
export class JetStream {
  private readonly node: NatsNode;
  private readonly folder: string;
  private count = 0;

  private constructor(node: NatsNode, folder: string) {
    this.node = node;
    this.folder = folder;
  }

  static async start({ path }: NatsProgram): Promise<JetStream> {
    const folder = mkdtempSync(join(tmpdir(), 'twin-ingest-nats-'));
    const [place] = await loopbackPlaces(folder, 1);
    const jetStream = new JetStream(new NatsNode(path, { ...place!, isLazy: true }), folder);
    await jetStream.node.start();
    return jetStream;
  }

  /** Returns new streams, for one test. */
  streams(): Streams {
    return new Streams(this.node, () => `parity-${++this.count}`);
  }

  async stop(): Promise<void> {
    await this.node.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The streams of one test. Servers with the same database have the same stream. */
export class Streams {
  private readonly node: NatsNode;
  private readonly newName: () => string;
  private readonly names = new Map<string, string>();

  constructor(node: NatsNode, newName: () => string) {
    this.node = node;
    this.newName = newName;
  }

  /** Returns the flags to add for a server with this database. */
  flagsFor(db: string): readonly string[] {
    const name = this.names.get(db) ?? this.newName();
    this.names.set(db, name);
    return [
      '--store',
      'jetstream',
      '--nats',
      this.node.url,
      '--stream',
      name,
      '--nats-replicas',
      '1',
      '--discard-large-metadata',
    ];
  }

  /**
   * Waits until the copy of a server follows its stream. Before that, answers have `cluster-stale` (rule CLU-10). The log
   * says it without a request, which tests would count. A server that logs less is not waited for long.
   */
  async untilFollowing(server: RunningServer): Promise<void> {
    const end = performance.now() + FOLLOWING_MS;
    while (!server.stderr().includes(FOLLOWING) && performance.now() < end) await sleep(5);
  }

  /** Deletes the streams of this test, so that NATS keeps few files. */
  async delete(): Promise<void> {
    const { port } = this.node.place;
    for (const name of this.names.values()) await askNats(port, `$JS.API.STREAM.DELETE.${name}`);
  }
}
