/** All scenarios, in the order in which they run. */
import type { Scenario } from './scenario.ts';
import { MODEL_SWITCH, RESTART, TWO_SESSIONS } from './sessions.ts';
import { SUBAGENT } from './subagent.ts';
import { LONG_OUTPUT, PLAIN, TOOL_ERROR } from './turns.ts';

export const SCENARIOS: readonly Scenario[] = [
  PLAIN,
  TOOL_ERROR,
  SUBAGENT,
  LONG_OUTPUT,
  MODEL_SWITCH,
  TWO_SESSIONS,
  RESTART,
];
