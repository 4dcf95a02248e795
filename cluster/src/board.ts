/** Starts nodes of NATS and the members that share a stream of them. */
import { join } from 'node:path';
import { NatsCluster } from '@twin-ingest/testkit/nats/cluster.ts';
import type { NatsPlace } from '@twin-ingest/testkit/nats/node.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { freePorts } from '@twin-ingest/testkit/servers/free-port.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { Member } from './member.ts';

export interface BoardOptions {
  /** The program of NATS. */
  readonly program: string;
  /** A folder in which each process has its own. */
  readonly folder: string;
  readonly places: readonly NatsPlace[];
  /** The runtime of each member. */
  readonly runtimes: readonly TargetName[];
  /** The port of the first member, whose followers have the next ones; 0: free ports. */
  readonly port: number;
}

/** The processes of a shared stream. */
export class Board {
  readonly nats: NatsCluster;
  readonly members: readonly Member[];

  private constructor(nats: NatsCluster, members: readonly Member[]) {
    this.nats = nats;
    this.members = members;
  }

  /** Starts everything. The processes end with `lifetime` at the latest. */
  static async start(options: BoardOptions, lifetime: Lifetime): Promise<Board> {
    const { program, folder, places, runtimes, port } = options;
    const nats = new NatsCluster(program, places);
    lifetime.add(() => nats.stop());
    const ports = port === 0 ? await freePorts(runtimes.length) : runtimes.map((_, index) => port + index);
    const members = runtimes.map((runtime, index) => {
      const name = `server-${index + 1}`;
      const place = {
        name,
        port: ports[index]!,
        folder: join(folder, name),
        nats: nats.nodes[index % nats.nodes.length]!.url,
        replicas: nats.nodes.length,
      };
      return new Member(place, runtime);
    });
    const board = new Board(nats, members);
    await lifetime.orInterrupted(nats.start());
    for (const member of members) {
      const starting = member.start();
      // Registered before the member is ready, so that an end during its start also stops it.
      lifetime.add(async () => {
        await starting.catch(() => undefined);
        await member.stop();
      });
      await lifetime.orInterrupted(starting);
    }
    return board;
  }
}
