/** What the limit stored, and what it took. */
export class Totals {
  events = 0;
  stored = 0;
  duplicates = 0;
  wallMs = 0;
  cpuUs = 0;
  /** Scanning and checking, which is no part of the limit. */
  parseMs = 0;
  parseCpuUs = 0;
  /** How long each million of events took to be stored. */
  readonly millionsMs: number[] = [];
}
