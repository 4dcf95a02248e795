/** One flag of the benchmark commands, as the table of flags describes it. */

export const MODES = ['startup', 'main', 'batch', 'single', 'open', 'soak', 'all'] as const;
export type RunMode = (typeof MODES)[number];

export type CommandName = 'compare' | 'sync' | 'codecs' | 'binary' | 'rpc' | 'reads' | 'peers' | 'ladders';

export interface Flag {
  /** Kind of the value. The items of a `list` have commas between them. */
  readonly kind: 'switch' | 'text' | 'integer' | 'choice' | 'list';
  readonly commands: readonly CommandName[];
  /** Modes of `compare` that accept the flag; other modes reject it. Default: all modes. */
  readonly modes?: readonly RunMode[];
  /** The flag changes the load, so the result does not replace the committed one. */
  readonly changesLoad?: true;
  /** Placeholder for the value in the help text; a switch has none. */
  readonly value?: string;
  readonly default?: number | string;
  /** The default with `--quick`. */
  readonly quick?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
  readonly help: string;
}
