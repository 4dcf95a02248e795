/** DATA: the scenarios in the order in which they are measured. */
import type { Scenario } from '../scenario.ts';
import { bytesScenario } from './bytes.ts';
import { arrowScenario, codecScenario } from './codec.ts';
import { ingestScenario } from './ingest.ts';
import { messageScenario } from './messages.ts';
import { pipeScenario } from './pipe.ts';
import { rawScenario } from './raw.ts';
import { readScenario } from './read.ts';
import { transportScenario } from './transport.ts';

export const SCENARIOS: readonly Scenario[] = [
  codecScenario,
  arrowScenario,
  bytesScenario,
  ingestScenario,
  readScenario,
  rawScenario,
  transportScenario,
  messageScenario,
  pipeScenario,
];
