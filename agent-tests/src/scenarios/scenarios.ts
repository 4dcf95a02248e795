/** Lists all scenarios, in the order in which they run. */

import { ALLOWED_BY_USER, REFUSED_BY_RULE, REFUSED_BY_USER } from './permission.ts';
import type { Scenario } from './scenario.ts';
import { MODEL_SWITCH, RESTART, TWO_SESSIONS, UNTRUSTED_HOOKS } from './sessions.ts';
import { SUBAGENT } from './subagent.ts';
import { LONG_OUTPUT, PLAIN, TOOL_ERROR } from './turns.ts';

export const SCENARIOS: readonly Scenario[] = [
  PLAIN,
  TOOL_ERROR,
  SUBAGENT,
  REFUSED_BY_RULE,
  ALLOWED_BY_USER,
  REFUSED_BY_USER,
  LONG_OUTPUT,
  MODEL_SWITCH,
  TWO_SESSIONS,
  RESTART,
  UNTRUSTED_HOOKS,
];
