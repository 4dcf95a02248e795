/**
 * Writes the entity tags of snapshots, and reads those that a client has (rules SYN-05 and SYN-06).
 *
 * Pure.
 */
import type { KnownRevisions } from '../store/read.ts';

/** A member of a list of tags, which may be empty, with the comma or the end behind it (RFC 9110, section 8.8.3). */
const MEMBER = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * The tag of a state. It is weak, since time alone changes some bytes of a state without a new revision (RFC 9110,
 * section 8.8.1).
 */
export function etagOf(epoch: string, revision: number): string {
  return `W/"${epoch}-${revision}"`;
}

/**
 * The revisions of this epoch in `If-None-Match` (RFC 9110, section 13.1.2). Tags are compared weakly: whether one is
 * weak does not count (section 8.8.3.2). A list that breaks the grammar has no tags.
 */
export function knownRevisions(fields: readonly string[], epoch: string): KnownRevisions {
  // Several fields are one list (RFC 9110, section 5.3).
  const list = fields.join(',');
  if (list.trim() === '*') return 'any';
  const revisions: string[] = [];
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < list.length) {
    const member = MEMBER.exec(list);
    if (member === null) return [];
    const [, tag] = member;
    if (tag?.startsWith(`${epoch}-`)) revisions.push(tag.slice(epoch.length + 1));
  }
  return revisions;
}
