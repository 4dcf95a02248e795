/** Renders snapshots as JSON text (rules SYN-05 and SYN-07). Pure. */
import { type Member, renderMembers, scalar } from '../render.ts';

/** The members of a snapshot before its data. */
export interface SnapshotHead {
  readonly topic: string;
  readonly epoch: string;
  /** The revision of the data. */
  readonly revision: number;
  /** The revision that the data follows; absent when the data is the whole state. */
  readonly since?: number | undefined;
  /** Whether the data is the whole state although the request named a revision. */
  readonly isReset?: boolean;
}

/** Renders a snapshot with its data, which is JSON text. */
export function renderSnapshot(head: SnapshotHead, data: string): string {
  return renderMembers([...snapshotMembers(head), ['data', data]]);
}

/** Returns the members before `data`. */
export function snapshotMembers({ topic, epoch, revision, since, isReset }: SnapshotHead): Member[] {
  return [
    ['topic', scalar(topic)],
    ['epoch', scalar(epoch)],
    ['revision', `"${revision}"`],
    ...(since === undefined ? [] : [['since', `"${since}"`] as const]),
    ...(isReset ? [['reset', 'true'] as const] : []),
  ];
}
