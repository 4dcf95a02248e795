/** A warning about a result: a code of a closed list, a message and advice. */

export type WarningCode =
  | 'generator_saturated'
  | 'few_rounds'
  | 'high_spread'
  | 'short_rounds'
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
  readonly advice: string;
}
