/**
 * Describes a change that every copy of a stream makes, and remembers the bounds of retention of the stream (rules CLU-11,
 * CLU-12 and CLU-14).
 */
import type { Numbered } from './connection.ts';
import type { Bounds } from './retention.ts';

/** A change of every copy; `contract/cluster.json` explains the members (rule CLU-11). */
export type ClusterChange =
  /** Deletes the events up to an id. */
  | { readonly kind: 'delete_events'; readonly through: number; readonly asked: boolean }
  /** Deletes events of a session; without a last block all further ones and the session. */
  | {
      readonly kind: 'delete_session';
      readonly session_id: string;
      readonly from_block: number;
      readonly to_block?: number;
    }
  /** Sets the bounds of retention. */
  | ({ readonly kind: 'retain' } & Bounds)
  /** Adds an attachment to an event; the SHA-256 is in hexadecimal. */
  | {
      readonly kind: 'attach';
      readonly event: number;
      readonly name: string;
      readonly sha256: string;
      readonly size: number;
      readonly media_type: string;
    };

/** Returns whether a client deletes something, so that its bytes are overwritten (rule RET-07). */
export function isAsked(change: ClusterChange | undefined): boolean {
  return change?.kind === 'delete_session' || (change?.kind === 'delete_events' && change.asked);
}

/** The next change of a deletion. */
export interface NextStep {
  readonly change: ClusterChange;
  readonly isLast: boolean;
}

/** Remembers the bounds of retention that the stream sets (rule CLU-12). `upsert` is `upsert_cluster_retention.sql`. */
export function storeBounds(upsert: Numbered, { days, bytes }: Bounds): void {
  upsert.run(`${days} ${bytes}`);
}

/** Returns the bounds of retention that `meta` holds. */
export function parseBounds(text: string): Bounds {
  const [days, bytes] = text.split(' ').map(Number);
  return { days: days!, bytes: bytes! };
}
