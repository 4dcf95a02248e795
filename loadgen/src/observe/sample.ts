/**
 * The raw data of a round: one process of each server, and the slices of load that it took. Every figure of a summary
 * can be computed from them.
 *
 * Names contain the units. `null` means not measured on this system.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Sent } from '../load/drivers/driver.ts';

export interface DiskUse {
  /** The database and what SQLite keeps next to it, after the server has closed it. */
  readonly bytes: number;
  /** Rows in the file, preloaded ones included. */
  readonly events: number;
  /** The most the write-ahead log was seen to hold. */
  readonly wal_peak_bytes: number | null;
}

/** Acknowledged, stored and expected, which must be the same, in content too. */
export interface Audit {
  readonly expected_events: number;
  readonly acknowledged_events: number;
  readonly stored_events: number;
  /** Digest of the multiset of rows that the acknowledged events make; 128 bits in hex. */
  readonly expected_digest: string;
  /** The same of the rows that were found. */
  readonly stored_digest: string;
}

/** What the stream clients of a round received, all of them checked against the file. */
export interface StreamSample {
  readonly clients: number;
  /** Over all clients: event frames received. */
  readonly frames: number;
  /** Clients whose frames were, in order and byte for byte, the rows of the file. */
  readonly complete_clients: number;
  /** From the `created_at` of the row (its transaction, whole milliseconds) to the arrival of its frame. */
  readonly lag: Lag | null;
  /** CPU time of the process that holds all clients. */
  readonly clients_cpu_us: number;
}

export interface Lag {
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  readonly samples: number;
  /** HdrHistogram V2 of microseconds, base64. */
  readonly histogram: string;
}

/** What the system reports of the server at intervals. Columns have equal length, `null` where not measured. */
export interface Timeline {
  /** Milliseconds since the first measured request. */
  readonly t_ms: readonly number[];
  readonly rss_bytes: readonly (number | null)[];
  /** CPU time since the start of the process. */
  readonly cpu_us: readonly (number | null)[];
  readonly wal_bytes: readonly (number | null)[];
  readonly file_descriptors: readonly (number | null)[];
  /** Time for `GET /livez`, which touches no database: what the runtime makes an idle request wait. Soak alone. */
  readonly lag_ms: readonly (number | null)[];
}

export interface WarmUp {
  /** Whether two of its parts in a row agreed within 5 %; `null` when it had one. */
  readonly steady: boolean | null;
  /** Of the first events after the start: what a cold server takes; `null` in an open loop. */
  readonly cold_events_per_s: number | null;
  /** What its parts took, the first aside; empty when it had one. */
  readonly parts_events_per_s: readonly number[];
  readonly sent: Sent;
}

/** The reader next to a soak: a dashboard that asks for statistics. */
export interface ReaderSample {
  readonly requests: number;
  readonly failed: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  /** CPU time of the reader's process, its start included. */
  readonly cpu_us: number;
}

/** What the machine did next to server and load while measuring, as shares of all its cores. */
export interface MachineLoad {
  /** CPU time of processes that are no part of the run; `null` where the system does not say. */
  readonly others_share: number | null;
  /** Time that the hypervisor gave to others. */
  readonly stolen_share: number | null;
}

/** One slice: a stretch of load on one server, next in time to a slice of the other. */
export interface Slice {
  /** The round whose processes it belongs to, the first being 1. */
  readonly round: number;
  readonly target: TargetName;
  /** Seconds from the start of the run to the first request. */
  readonly at_s: number;
  /** What an open driver was asked for. */
  readonly rate_events_per_s: number | null;
  readonly measured: Sent;
  /** CPU time of the server, all threads, from the first request to the last answer. */
  readonly server_cpu_us: number | null;
  readonly timeline: Timeline;
  readonly reader: ReaderSample | null;
  /** CPU time of the process that holds all stream clients; 0 without any. */
  readonly clients_cpu_us: number;
  readonly machine: MachineLoad;
}

/** One process of a server, from its start to the audit of its file. */
export interface ProcessSample {
  readonly round: number;
  readonly target: TargetName;
  readonly warm_up: WarmUp;
  readonly idle_rss_bytes: number | null;
  /** The most it ever was, all slices included. */
  readonly peak_rss_bytes: number | null;
  readonly stream: StreamSample | null;
  /** From SIGTERM to the end of the process. */
  readonly stop_ms: number;
  readonly disk: DiskUse;
  readonly audit: Audit;
}
