/**
 * Divides the process's file descriptors between its parts (rule HTT-12).
 *
 * Invariant: the plan reserves descriptors for the store and the runtime. When descriptors run out, the server
 * refuses connections and nothing else fails.
 */
import { readFileSync } from 'node:fs';
import { LIMITS, TUNING } from './contract.ts';

/** The descriptors of each part. */
export interface Plan {
  /** Largest number of concurrent client connections. */
  readonly connections: number;
  /** Refused connections that wait until the client reads the refusal. */
  readonly refusals: number;
  /** Database connections for reading, each with a thread. */
  readonly readers: number;
}

/** The plan of this process. */
export const PLAN = plan(limitOfProcess());

/** Returns the number of readers for this `--max-metadata-bytes`. Each may hold a page of megabytes (rule GET-10). */
export function readersFor({ readers }: Plan, maxMetadataBytes: number): number {
  return maxMetadataBytes > TUNING.large_metadata_bytes ? Math.min(readers, TUNING.least_readers) : readers;
}

/** Returns the plan for a descriptor limit; `undefined` means no limit. */
export function plan(limit: number | undefined): Plan {
  const left = (limit ?? Number.POSITIVE_INFINITY) - LIMITS.reserved_descriptors;
  const connections = Math.min(left, LIMITS.connections);
  if (connections < LIMITS.least_connections) {
    return { connections: LIMITS.least_connections, refusals: 0, readers: TUNING.least_readers };
  }
  return { connections, refusals: TUNING.lingering_refusals, readers: TUNING.readers };
}

/**
 * Returns the soft limit, which Node has raised to the hard limit. Only Linux has the file. `process.report` knows
 * the limit elsewhere but takes much longer, so other systems count as unlimited.
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
