/**
 * One measurement before it is made: its load, its rounds and its driver.
 *
 * Invariant: a specification is data that is fixed before anything starts. Only shares of a throughput are found out
 * during the run.
 */

import type { Mode, Workload } from '../result/result.ts';
import type { RequestedRate } from './rates.ts';

export interface Spec {
  /** As in the result. */
  readonly name: string;
  readonly title: string;
  readonly mode: Exclude<Mode, 'startup'>;
  /** Specs of one group share their processes in each round; the first warms them up. */
  readonly group: string;
  /** The servers of this repository, or the plain ones (decision 67). */
  readonly servers: 'product' | 'plain';
  readonly driver: 'autocannon' | 'wrk' | 'open' | 'k6';
  readonly corpus: string | undefined;
  readonly workload: Omit<Workload, 'rate'>;
  readonly rate: RequestedRate | null;
  /** Where the throughput comes from that a share is a share of. */
  readonly throughput_of: string | null;
  /** A dashboard that reads statistics during the load. */
  readonly reader: boolean;
  /** Whether the same rows are also stored in bulk, without HTTP. */
  readonly ceiling: boolean;
}

/** What can wait in the server at once, and so be one transaction. */
export function groupEvents(workload: Omit<Workload, 'rate'>): number {
  return workload.connections * workload.batch_size;
}
