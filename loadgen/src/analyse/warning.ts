/** DATA: the closed list of warnings about a result, with what each limits, and what to do about it. */
import { ENOUGH_FOR_VERDICT } from './statistics.ts';

const THROUGHPUT = 'throughput, and latency of the closed loop';
const RATIO = 'the ratio that is named';
const RATE = 'latency at this rate';
const ALL = 'every figure of this measurement';

export const ADVICE = {
  generator_saturated: { limits: THROUGHPUT, advice: 'Compare CPU per event, or use more cores.' },
  few_rounds: { limits: 'every ratio', advice: `Use --rounds=${ENOUGH_FOR_VERDICT} or more.` },
  wide_interval: { limits: RATIO, advice: 'Quote the interval, not the ratio alone, or use more --rounds.' },
  wide_spread: { limits: 'the median that is named', advice: 'Quote the spread, or use more repeats.' },
  halves_differ: { limits: RATIO, advice: 'The machine or a server changed during the run. Run again.' },
  short_load: { limits: 'disk, memory and latency tails', advice: 'Use more --events or --duration.' },
  not_steady: { limits: null, advice: 'Look whether the slices still change, or use a longer --warmup.' },
  rate_not_reached: {
    limits: RATE,
    advice: 'Latencies grow with the length of the load. Use a lower --rate.',
  },
  requests_dropped: { limits: RATE, advice: 'Latencies leave out what these requests would have waited.' },
  late_generator: { limits: RATE, advice: 'Latencies include this delay. Use more cores or a lower --rate.' },
  stream_clients_saturated: {
    limits: 'delivery lag of the stream',
    advice: 'The lag may be that of the clients. Use fewer --stream-clients, more cores or a lower --rate.',
  },
  other_load: { limits: ALL, advice: 'Close other programs and run again.' },
  stolen_time: { limits: ALL, advice: 'A hypervisor gave cores to other guests. Use your own machine.' },
  no_k6: { limits: null, advice: 'Install k6 (pnpm k6:install): it then drives the soak.' },
  machine_busy: { limits: ALL, advice: 'Wait until the machine is idle and run again.' },
  shared_cores: {
    limits: 'throughput: it includes what the generator takes away',
    advice: 'CPU per event is the sounder figure here. Use four cores or more.',
  },
  stale_build: { limits: ALL, advice: 'Run without --no-build.' },
  uncommitted_changes: { limits: 'reproduction by others', advice: 'Commit first.' },
  resources_not_measured: { limits: 'CPU and memory', advice: 'Run on Linux.' },
} as const satisfies Readonly<Record<string, { readonly limits: string | null; readonly advice: string }>>;

export type WarningCode = keyof typeof ADVICE;

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Figures that a reader must not rely on because of the warning; `null` when there are none. */
  readonly limits: string | null;
  readonly advice: string;
}

/** A warning as a summary stores it. `ADVICE` contains the other fields by code. */
export type SeenWarning = Pick<Warning, 'code' | 'message'>;
