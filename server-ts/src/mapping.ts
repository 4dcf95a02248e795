/**
 * Holds the mappings of agents (`contract/mapping.md`).
 *
 * Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value stops the start.
 */
import { type Agent, compileAgents } from '@twin-ingest/mapping/mapping.ts';
import { AGENTS_FILE } from './contract.ts';

/** The agents in the order in which records are matched. */
export const AGENTS: readonly Agent[] = compileAgents(AGENTS_FILE);
