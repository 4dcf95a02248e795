/**
 * The raw data of a round: one process of each server, and the slices of load that it took. Every figure of a summary
 * can be computed from them.
 *
 * Names contain the units. `null` means not measured on this system.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Sent } from '../load/drivers/driver.ts';
import type { Digest } from '../verify/audit/rows.ts';
import type { machineLoad } from './probe.ts';
import type { ReaderSample } from './reader.ts';
import type { StreamOrders } from './stream/process.ts';

type TimelineColumn = 'rss_bytes' | 'cpu_us' | 'wal_bytes' | 'file_descriptors' | 'lag_ms';

/**
 * Samples of the server at intervals. All columns have the same length. `lag_ms` is the event-loop lag: the time for
 * `GET /livez`, which uses no database. It is measured only in a soak.
 */
export interface Timeline extends Readonly<Record<TimelineColumn, readonly (number | null)[]>> {
  /** Milliseconds since the first measured request. */
  readonly t_ms: readonly number[];
}

export interface WarmUp {
  /** Whether two consecutive parts agreed within 5 %; `null` when the warm-up had one part. */
  readonly steady: boolean | null;
  /** Throughput of the first events after the start, of a cold server; `null` in an open loop or with one part. */
  readonly cold_events_per_s: number | null;
  /** Throughput of each part except the first; empty when the warm-up had one part. */
  readonly parts_events_per_s: readonly number[];
}

/** One slice: a period of load on one server, with a slice of the other server directly before or after it. */
export interface Slice {
  readonly round: number;
  readonly target: TargetName;
  /** Seconds from the start of the run to the first request. */
  readonly at_s: number;
  /** Requested rate of an open loop; `null` in a closed loop. */
  readonly rate_events_per_s: number | null;
  readonly measured: Sent;
  /** CPU time of all threads of the server, from the first request to the last answer. */
  readonly server_cpu_us: number | null;
  readonly timeline: Timeline;
  /** Figures of the reader, which sends the requests of a dashboard during a soak. */
  readonly reader: ReaderSample | null;
  /** CPU time of the process of all stream clients; 0 without clients. */
  readonly clients_cpu_us: number;
  /** Load of the machine from outside the run during the slice. */
  readonly machine: ReturnType<typeof machineLoad>;
}

/** One process of a server, from its start to the audit of its file. */
export interface ProcessSample {
  readonly round: number;
  readonly target: TargetName;
  readonly warm_up: WarmUp;
  readonly idle_rss_bytes: number | null;
  readonly peak_rss_bytes: number | null;
  /** Frames that the stream clients received: all rows of the file, in order and byte for byte. */
  readonly stream: ReturnType<StreamOrders['finish']> | null;
  /** Milliseconds from SIGTERM to the end of the process. */
  readonly stop_ms: number;
  readonly disk: {
    /** Size of the database and of SQLite's other files, after the server has closed the database. */
    readonly bytes: number;
    readonly events: number;
    readonly wal_peak_bytes: number | null;
  };
  /** The rows of the file, which equal those of the acknowledged events. */
  readonly audit: Digest;
}
