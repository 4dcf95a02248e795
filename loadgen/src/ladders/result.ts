/** The result of `pnpm bench:ladders`. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Environment } from '../observe/environment.ts';
import type { RungFigures } from './climb.ts';
import type { Ladder } from './ladders.ts';

export interface LaddersResult {
  readonly measured_on: string;
  readonly environment: Environment;
  readonly ladders: readonly Climbed[];
}

export interface Climbed extends Pick<Ladder, 'name' | 'title' | 'unit'> {
  readonly servers: Readonly<Record<TargetName, readonly RungFigures[]>>;
}
