/** DATA: the scenarios in the order in which they are measured. */
import type { Scenario } from '../scenario.ts';
import { livezScenario } from './livez.ts';
import { transferScenario } from './transfer.ts';

export const SCENARIOS: readonly Scenario[] = [transferScenario, livezScenario];
