/** DATA: the scenarios in the order in which they are measured. */
import type { Scenario } from '../scenario.ts';
import { largeScenario } from './large.ts';
import { referenceScenario } from './reference.ts';
import { scalarsScenario } from './scalars.ts';
import { sequencesScenario } from './sequences.ts';

export const SCENARIOS: readonly Scenario[] = [
  scalarsScenario,
  sequencesScenario,
  referenceScenario,
  largeScenario,
];
