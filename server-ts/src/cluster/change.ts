/**
 * Writes a change of the copies as a message of the stream, and reads it back (rules CLU-11 and CLU-14).
 *
 * Pure. `contract/cluster.json` has the names and the members of all changes.
 */
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../contract.ts';
import { parseDigest } from '../digest.ts';
import type { ClusterChange } from '../store/cluster-change.ts';
import { isAttachmentName, isMediaType } from '../text.ts';
import type { Message } from './message.ts';

/** Writes a change. */
export function writeChange(change: ClusterChange): Message {
  const { kind, ...members } = change;
  return {
    payload: Buffer.from(JSON.stringify(members)),
    key: undefined,
    wait: undefined,
    isTruncated: false,
    change: kind,
  };
}

/**
 * Returns the change of a message with this name. `undefined` is a change that this server does not know, or that no
 * request can make (rule CLU-14).
 */
export function readChange(name: string, payload: Uint8Array): ClusterChange | undefined {
  const body = objectIn(payload);
  if (body === undefined) return undefined;
  const { through, asked, session_id, from_block, to_block, days, bytes } = body;
  const { event, name: of, sha256, size, media_type } = body;
  switch (name) {
    case 'delete_events':
      if (!isNumber(through) || typeof asked !== 'boolean') return undefined;
      return { kind: name, through, asked };
    case 'delete_session':
      if (typeof session_id !== 'string' || !session_id.isWellFormed() || !isNumber(from_block))
        return undefined;
      if (to_block === undefined) return { kind: name, session_id, from_block };
      return isNumber(to_block) ? { kind: name, session_id, from_block, to_block } : undefined;
    case 'retain':
      return isNumber(days) && isNumber(bytes) ? { kind: name, days, bytes } : undefined;
    case 'attach':
      if (!isNumber(event) || typeof of !== 'string' || !isNumber(size)) return undefined;
      if (typeof sha256 !== 'string' || typeof media_type !== 'string') return undefined;
      if (parseDigest(sha256) === undefined || size > LIMITS.largest_attachment_bytes) return undefined;
      if (!isAttachmentName(of) || !isMediaType(media_type)) return undefined;
      return { kind: name, event, name: of, sha256, size, media_type };
    default:
      return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function objectIn(payload: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    if (!isUtf8(payload)) return undefined;
    const body: unknown = JSON.parse(Buffer.from(payload).toString());
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
