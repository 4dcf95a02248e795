/** A warning about a result: a code of a closed list, a message and advice. */

export type WarningCode =
  | 'generator_saturated'
  | 'few_rounds'
  | 'wide_interval'
  | 'wide_spread'
  | 'halves_differ'
  | 'short_load'
  | 'not_steady'
  | 'rate_not_reached'
  | 'requests_dropped'
  | 'late_generator'
  | 'stream_clients_saturated'
  | 'other_load'
  | 'stolen_time'
  | 'trend'
  | 'no_k6'
  | 'machine_busy'
  | 'shared_cores'
  | 'stale_build'
  | 'uncommitted_changes'
  | 'resources_not_measured';

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Figures that a reader must not rely on because of the warning; `null` when there are none. */
  readonly limits: string | null;
  readonly advice: string;
}

/** A warning as a summary stores it. `ADVICE` contains the other fields by code. */
export type SeenWarning = Pick<Warning, 'code' | 'message'>;
