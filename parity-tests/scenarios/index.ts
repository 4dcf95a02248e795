/**
 * All scenarios, in the order in which they run.
 */
import type { ScenarioFile } from '../src/scenario.ts';

export const SCENARIO_FILES: readonly ScenarioFile[] = [];
