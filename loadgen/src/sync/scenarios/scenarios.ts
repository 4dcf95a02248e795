/** DATA: the scenarios, in the order in which they are measured, from light to heavy load. */
import type { ScenarioName } from '../result.ts';
import type { Scenario } from '../scenario.ts';
import { bursts, slider } from './bursts.ts';
import { fanOut, fullStream, slowClient } from './crowds.ts';
import { page } from './page.ts';
import { monotony, restart } from './restarts.ts';
import { payloads, roundTrip } from './round-trips.ts';

export const SCENARIOS: readonly (readonly [ScenarioName, Scenario])[] = [
  ['round_trip', roundTrip],
  ['payloads', payloads],
  ['bursts', bursts],
  ['slider', slider],
  ['restart', restart],
  ['monotony', monotony],
  ['page', page],
  ['slow_client', slowClient],
  ['full_stream', fullStream],
  ['fan_out', fanOut],
];
