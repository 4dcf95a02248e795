/** What each measurement gets, and what it returns. */
import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { Board } from '../board.ts';

export type Figure = Readonly<Record<string, string | number>>;

export interface Measuring {
  /** The program of NATS. */
  readonly program: string;
  /** Seconds of a slice of load. */
  readonly seconds: number;
  readonly add: (figure: Figure) => void;
  /** Ends what runs when the program is interrupted. */
  readonly lifetime: Lifetime;
}

export const NODES = 3;

/** Starts a board with three nodes of NATS in a new folder. */
export async function startBoard(
  program: string,
  runtimes: readonly TargetName[],
  lifetime: Lifetime,
): Promise<Board> {
  const { path: folder } = await lifetime.temporaryFolder();
  const places = await loopbackPlaces(folder, NODES);
  return await Board.start({ program, folder, places, runtimes, port: 0 }, lifetime);
}

/** Runs work whose processes and folders end with it. */
export async function briefly(
  { lifetime }: Pick<Measuring, 'lifetime'>,
  work: (own: Lifetime) => Promise<void>,
): Promise<void> {
  const own = new Lifetime();
  const release = lifetime.add(() => own.end());
  try {
    await work(own);
  } finally {
    await release();
  }
}
