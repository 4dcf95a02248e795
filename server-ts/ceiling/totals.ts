/** Counts stored events and the time that storing took. */
export class Totals {
  events = 0;
  stored = 0;
  duplicates = 0;
  wallMs = 0;
  cpuUs = 0;
  /** Time that each million of events took. */
  readonly millionsMs: number[] = [];
}
