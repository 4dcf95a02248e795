/** DATA: the scenarios, in the order in which they are measured, from light to heavy load. */
import type { Scenario } from '../scenario.ts';
import { burstScenario, sliderScenario } from './bursts.ts';
import { fanOutScenario } from './fan-out.ts';
import { pageScenario } from './page.ts';
import { monotonyScenario, restartScenario } from './restarts.ts';
import { payloadScenario, roundTripScenario } from './round-trips.ts';
import { fullStreamScenario, slowClientScenario } from './streams.ts';

export const SCENARIOS: readonly Scenario[] = [
  roundTripScenario,
  payloadScenario,
  burstScenario,
  sliderScenario,
  restartScenario,
  monotonyScenario,
  pageScenario,
  slowClientScenario,
  fullStreamScenario,
  fanOutScenario,
];
