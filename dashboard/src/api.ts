/**
 * Types of the servers' answers that the dashboard reads (contract, sections "Read", "Sessions", "Statistics" and
 * "Health").
 */
import type { Stats as AllStats, Session } from '@twin-ingest/client';
import type { CostSum } from './figure-names.ts';

export type { Counted, EventPage, EventRow as Row, Session, SessionPage } from '@twin-ingest/client';

export type SessionStatus = Session['status'];
/** The part of the statistics that the dashboard shows. */
export type Stats = Omit<AllStats, 'tools' | 'event_types' | 'since'>;

export interface Tool {
  readonly tool_name: string | null;
  readonly total_calls: number;
  readonly error_count: number;
  /** From 0 to 1. */
  readonly error_rate: number;
}

/** Percentiles of the durations of a tool's calls; null without durations. */
export interface Percentiles {
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

/** An attachment of an event (contract rule ATT-06). */
export interface Attachment {
  readonly name: string;
  /** In hexadecimal; the last part of its address. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly size: number;
  readonly media_type: string;
  readonly created_at: string;
}

/** One hour with events. */
export interface Bucket extends Readonly<Record<CostSum, number>> {
  readonly bucket: string;
  readonly event_count: number;
}

export interface Spent extends Readonly<Record<CostSum, number>> {
  readonly name: string | null;
  readonly unpriced_tokens: number;
  readonly event_count: number;
}

export interface Cost {
  /** Oldest first. */
  readonly timeline: readonly Bucket[];
  readonly by_project: readonly Spent[];
  readonly by_model: readonly Spent[];
}

/** An agent's telemetry since the server started (contract rule OTL-11). */
export interface AgentTelemetry {
  readonly agent_type: string;
  readonly logs: number;
  readonly spans: number;
  readonly points: number;
  /** Counts by reason, without reasons that did not occur. */
  readonly ignored: Readonly<Record<string, number>>;
}

export interface Telemetry {
  /** Connections that started as gRPC, which the server refuses. */
  readonly grpc_connections: number;
  /** Requests at paths that are almost addresses of OTLP, and the newest of these paths. */
  readonly wrong_paths: number;
  readonly last_wrong_path: string | null;
  /** Requests without a record, such as those whose names are all unknown. */
  readonly without_records: number;
  readonly agents: readonly AgentTelemetry[];
}

/** The answer of `GET /api/retention`; 0 means no bound. */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
  readonly used_bytes: number;
  readonly first_event_id: number | null;
}

export interface Redaction {
  readonly keys: number;
  readonly patterns: number;
  readonly events: number;
  readonly attachments: number;
}

/** The progress of `--forward`. */
export interface Forwarding {
  /** Host and port of the receiver. */
  readonly to: string;
  readonly waiting: number;
  readonly last_at: string | null;
  /** Why the last request failed, if it did. */
  readonly failure: string | null;
}

export interface Health {
  readonly forwarding?: Forwarding | null;
  /** The stream that the server follows (contract rule CLU-07). */
  readonly cluster?: { readonly stream: string; readonly waiting: number; readonly failure: string | null };
  /** The file of `--prices`. */
  readonly prices?: {
    readonly date: string;
    readonly models: number;
    readonly source: 'built-in' | 'file';
    readonly built_in_date: string;
  } | null;
  /** What `--redact` names, and how many events and attachments it changed since the start. */
  readonly redaction?: Redaction | null;
  /** `--budget-usd-day`, and the cost of the day (contract rule NOT-05). */
  readonly budget?: {
    readonly day: string;
    readonly usd_day: number;
    readonly cost_usd: number;
    readonly unpriced_tokens: number;
  } | null;
  readonly status: string;
  readonly reason?: string;
  /** Seconds since the server started. */
  readonly uptime: number;
  readonly sse_clients: number;
  readonly version: string;
  readonly runtime: string;
  readonly contract: string;
  /** What the user calls the command line (contract rule PRO-19). */
  readonly command_name: string;
  /** In which a day of the budget begins at midnight; absent in servers of earlier versions. */
  readonly time_zone?: string;
  readonly durability: string;
  readonly sqlite_version: string;
  readonly db_bytes: number;
  readonly wal_bytes: number;
  readonly attachment_bytes: number;
  readonly disk_free_bytes: number;
  /** Whether the disk is almost full (contract rule HEA-04). */
  readonly disk_low: boolean;
  /** The newest fault since the start. */
  readonly last_fault: { readonly code: string; readonly at: string } | null;
  readonly queue_events: number;
  readonly telemetry: Telemetry;
}
