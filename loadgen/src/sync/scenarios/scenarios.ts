/** DATA: the scenarios, in the order in which they are measured, from light to heavy load. */
import type { Scenario } from '../scenario.ts';
import { burstScenario } from './bursts.ts';
import { fanOutScenario } from './fan-out.ts';
import { fullStreamScenario } from './full-stream.ts';
import { monotonyScenario } from './monotony.ts';
import { pageScenario } from './page.ts';
import { payloadScenario } from './payloads.ts';
import { restartScenario } from './restart.ts';
import { roundTripScenario } from './round-trip.ts';
import { sliderScenario } from './slider.ts';
import { slowClientScenario } from './slow-client.ts';

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
