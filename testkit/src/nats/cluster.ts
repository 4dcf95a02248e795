/** Runs several servers of NATS that replicate their streams. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../process/failure.ts';
import { freePorts } from '../servers/free-port.ts';
import { askNats } from './ask.ts';
import { NatsNode, type NatsPlace } from './node.ts';

/** An election takes some seconds. */
const READY_MS = 60_000;
const RETRY_MS = 100;
/** A stream that is created to find out whether streams can be created. */
const PROBE = 'probe';

interface StreamAnswer {
  readonly error?: unknown;
  readonly cluster?: { readonly leader?: string };
  readonly state?: { readonly last_seq: number };
}

/** The nodes of a cluster, in the order of their names. */
export class NatsCluster {
  readonly nodes: readonly NatsNode[];

  constructor(program: string, places: readonly NatsPlace[]) {
    // A node alone is no cluster, since it would wait for peers.
    const peers = places.length > 1 ? places : [];
    this.nodes = places.map((place) => new NatsNode(program, place, peers));
  }

  /** Returns a cluster on free ports of loopback, with a folder for each node. It does not run yet. */
  static async onLoopback(program: string, folder: string, count = 3): Promise<NatsCluster> {
    return new NatsCluster(program, await loopbackPlaces(folder, count));
  }

  /** Starts all nodes; resolves when they can replicate a stream. */
  async start(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.start()));
    await this.untilReady();
  }

  /** Stops all nodes in order. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Kills all nodes, also suspended ones. */
  async kill(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  /** Returns the node that leads a stream; `undefined` during an election. */
  async leaderOf(stream: string): Promise<NatsNode | undefined> {
    const { cluster } = await this.ask(`$JS.API.STREAM.INFO.${stream}`);
    return this.nodes.find(({ place }) => place.name === cluster?.leader);
  }

  /** Waits until a stream has a leader that all others follow. */
  async untilLed(stream: string): Promise<NatsNode> {
    const end = performance.now() + READY_MS;
    while (performance.now() < end) {
      const leader = await this.leaderOf(stream).catch(() => undefined);
      if (leader !== undefined) return leader;
      await sleep(RETRY_MS);
    }
    throw new Failure('nats_failed', `the stream ${stream} has no leader`);
  }

  private async untilReady(): Promise<void> {
    const stream = { name: PROBE, subjects: [PROBE], storage: 'memory', num_replicas: this.nodes.length };
    const end = performance.now() + READY_MS;
    for (;;) {
      const answer = await this.ask(`$JS.API.STREAM.CREATE.${PROBE}`, stream).catch((error) => ({ error }));
      if (answer.error === undefined) break;
      if (performance.now() > end)
        throw new Failure('nats_failed', `NATS makes no stream: ${JSON.stringify(answer.error)}`);
      await sleep(RETRY_MS);
    }
    await this.ask(`$JS.API.STREAM.DELETE.${PROBE}`);
  }

  /** Asks the first node that answers. */
  private async ask(subject: string, content?: unknown): Promise<StreamAnswer> {
    let last: unknown = new Error('no node of NATS runs');
    for (const node of this.nodes.filter(({ isRunning }) => isRunning)) {
      const { host, port } = node.place;
      try {
        return await askNats(port, subject, content === undefined ? '' : JSON.stringify(content), { host });
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }
}

/** Returns free places on loopback. */
export async function loopbackPlaces(folder: string, count: number): Promise<NatsPlace[]> {
  const ports = await freePorts(2 * count);
  return Array.from({ length: count }, (_, index) => ({
    name: `nats-${index + 1}`,
    host: '127.0.0.1',
    port: ports[index]!,
    routePort: ports[count + index]!,
    folder: join(folder, `nats-${index + 1}`),
  }));
}
