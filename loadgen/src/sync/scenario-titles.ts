/** DATA: the title of each scenario in reports. */
import type { ScenarioName } from './result.ts';

export const SCENARIO_TITLES: Readonly<Record<ScenarioName, string>> = {
  round_trip: 'Round trip: post, invalidation, snapshot, apply',
  payloads: 'Round trip by size of an event',
  bursts: 'Bursts of events, and what each strategy makes of them',
  slider: 'A slider, sixty events a second',
  restart: 'Killed and started again, and swapped for the other server',
  monotony: 'Drops, duplicates, delays, restarts and swaps',
  page: 'The page on a full database, and during a load',
  slow_client: 'A client that reads a thousand bytes a second',
  full_stream: 'Clients of the full stream during a load',
  fan_out: 'Followers during a load, a tenth of them stalled',
};
