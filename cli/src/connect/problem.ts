/** A problem that keeps an agent's events from the dashboard, and its remedy. */
export type ProblemCode =
  | 'bad_settings'
  | 'changed_by_hand'
  | 'grpc'
  | 'hooks_off'
  | 'hooks_untrusted'
  | 'incomplete'
  | 'managed'
  | 'not_connected'
  | 'not_our_server'
  | 'nothing_received'
  | 'old_server'
  | 'own_telemetry'
  | 'records_refused'
  | 'server_degraded'
  | 'server_silent'
  | 'server_unreachable'
  | 'storage_full'
  | 'telemetry_empty'
  | 'telemetry_off'
  | 'telemetry_path'
  | 'token_missing'
  | 'token_wrong'
  | 'url_blocked'
  | 'wrong_path';

export interface Problem {
  readonly code: ProblemCode;
  /** One sentence that states the problem and its effect. */
  readonly what: string;
  /** One sentence that states what the user must do. */
  readonly remedy: string;
}
