/** DATA: the scenarios, in the order in which they are measured, from light to heavy load. */
import type { ScenarioName } from '../result.ts';
import type { Scenario } from '../scenario.ts';
import { bursts, slider } from './bursts.ts';
import { fanOut, fullStream } from './crowds.ts';
import { page } from './page.ts';
import { restart } from './restarts.ts';
import { roundTrip } from './round-trips.ts';

export const SCENARIOS: readonly (readonly [ScenarioName, Scenario])[] = [
  ['round_trip', roundTrip],
  ['bursts', bursts],
  ['slider', slider],
  ['restart', restart],
  ['page', page],
  ['full_stream', fullStream],
  ['fan_out', fanOut],
];
