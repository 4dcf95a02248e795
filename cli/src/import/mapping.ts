/** The mappings of transcripts to events: `contract/transcripts`, one file for each agent. */
import type { EventType, Source } from '@twin-ingest/client';
import CLAUDE_CODE from '../../../contract/transcripts/claude-code.json' with { type: 'json' };
import CODEX from '../../../contract/transcripts/codex.json' with { type: 'json' };

/** Texts that the value at each path may have; `*` is any value. */
export type Conditions = Readonly<Record<string, readonly string[]>>;

export interface FieldRule {
  readonly field: string;
  /** The first path with a value counts. */
  readonly keys: readonly string[];
  /** Paths of integers to subtract, down to 0. */
  readonly less?: readonly string[];
}

/** A value that later lines of the file have too. */
export interface ContextRule {
  readonly field: string;
  readonly key: string;
  readonly take?: string;
  /** Names of the lines that have it; absent for all lines. */
  readonly lines?: readonly string[];
  /** Whether the first value stays. */
  readonly first?: boolean;
}

/** Events of the session that a hook or telemetry reported, and that mean the same. */
export interface MatchRule {
  readonly sources: readonly Source[];
  /** Fields that must be equal. */
  readonly fields?: readonly string[];
  /** Largest difference of the times; absent for any. */
  readonly within_ms?: number;
}

export type Metadata = Readonly<Record<string, readonly string[]>>;

export interface Entry {
  readonly when?: Conditions;
  readonly unless?: Conditions;
  /** Name of a line after which the entry no longer applies in its file. */
  readonly unless_seen?: string;
  /** Path of an array: the entry applies to each of its objects, whose paths begin with `each`. */
  readonly each?: string;
  /** `begin` keeps the entry's values under `key` until the `end` with the same `call_id`. */
  readonly call?: 'begin' | 'end';
  readonly key?: string;
  /** Path of a value: consecutive lines with the same value are one event, with the values of the last. */
  readonly gather?: string;
  /** The time of an earlier line, from which the duration counts. */
  readonly since?: { readonly name: string; readonly key: string; readonly reference: string };
  readonly event_type?: EventType;
  readonly status?: { readonly key: string; readonly error: readonly string[] };
  /** The subject of the event, which hooks and telemetry may also report (rule OTL-09). */
  readonly same?: { readonly kind: string; readonly keys: readonly string[] };
  readonly match?: MatchRule;
  readonly fields?: readonly FieldRule[];
  readonly metadata?: Metadata;
}

export interface Mapping {
  readonly agent_type: string;
  readonly folder: { readonly variable: string; readonly home: string; readonly below: string };
  readonly name_keys: readonly string[];
  readonly time_key: string;
  /** Path of the id of a line; absent if lines have none. */
  readonly line_key?: string;
  /** Whether a copied line keeps its id in another session. */
  readonly copies_keep_line_key?: boolean;
  readonly context: readonly ContextRule[];
  /** The event of a session's first line. */
  readonly start: Pick<Entry, 'unless' | 'match' | 'metadata'> & { readonly event_type: EventType };
  readonly end: { readonly event_type: EventType };
  readonly lines: Readonly<Record<string, readonly Entry[] | 'noise'>>;
}

export const MAPPINGS: Readonly<Record<string, Mapping>> = {
  'claude-code': CLAUDE_CODE as unknown as Mapping,
  codex: CODEX as unknown as Mapping,
};
