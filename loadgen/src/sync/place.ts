/** Where the result of a run of `bench:sync` goes. */
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import type { Environment } from '../environment.ts';
import { choosePlace, type Place } from '../part-file.ts';
import type { SyncRunOptions } from './options.ts';
import { SCENE_NAMES } from './sync-result.ts';

export function placeOf(options: SyncRunOptions, environment: Environment): Place {
  return choosePlace('sync', options, environment, [
    ...(options.quick ? ['a quick run'] : []),
    ...(options.targets.length < TARGET_NAMES.length ? ['one server alone'] : []),
    ...(options.scenes.length < SCENE_NAMES.length ? ['not all scenes'] : []),
  ]);
}
