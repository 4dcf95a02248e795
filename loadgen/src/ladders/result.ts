/** The result of `pnpm bench:ladders`. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Environment } from '../observe/environment.ts';
import type { RungFigures } from './climb.ts';
import type { Ladder, LadderName } from './ladders.ts';

export interface LaddersResult {
  readonly measured_on: string;
  readonly environment: Environment;
  readonly ladders: readonly Climbed[];
}

export interface Climbed {
  readonly name: LadderName;
  readonly title: string;
  readonly unit: string;
  readonly servers: Readonly<Record<TargetName, readonly RungFigures[]>>;
}

export function climbedOf(
  { name, title, unit }: Ladder,
  servers: Readonly<Record<TargetName, readonly RungFigures[]>>,
): Climbed {
  return { name, title, unit, servers };
}
