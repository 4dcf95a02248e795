/**
 * Shares out the process's file descriptors (rule HTT-12).
 *
 * Invariant: descriptors for the store and the runtime are kept back, so that only connections are refused when
 * descriptors are short.
 */
import { readFileSync } from 'node:fs';
import { LIMITS } from './contract.ts';

/** What the process may open. */
export interface Plan {
  /** Connections of clients at the same time. */
  readonly connections: number;
  /** Refused connections that wait for their clients to read the refusal. */
  readonly refusals: number;
  /** Reading connections to the database, each with a thread. */
  readonly readers: number;
}

/** The plan of this process. */
export const PLAN = plan(limitOfProcess());

/** The plan for a limit of descriptors; nothing is no limit. */
export function plan(limit: number | undefined): Plan {
  const left = (limit ?? Number.POSITIVE_INFINITY) - LIMITS.reserved_descriptors;
  const connections = Math.min(left, LIMITS.connections);
  if (connections < LIMITS.least_connections) {
    return { connections: LIMITS.least_connections, refusals: 0, readers: LIMITS.least_readers };
  }
  return { connections, refusals: LIMITS.lingering_refusals, readers: LIMITS.readers };
}

/**
 * The soft limit, which Node has raised to the hard limit by itself. Only Linux has the file; `process.report` knows
 * the limit elsewhere but takes much longer, so other systems count as having none.
 */
function limitOfProcess(): number | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}
