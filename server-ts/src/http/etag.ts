/**
 * Writes the entity tags of snapshots, and reads those that a client has (rules SYN-05, SYN-06 and
 * ATT-08).
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
  const tags = readTags(fields);
  if (tags === 'any') return tags;
  const start = `${epoch}-`;
  return tags.filter((tag) => tag.startsWith(start)).map((tag) => tag.slice(start.length));
}

/** Whether a client has the bytes of this strong tag (rule ATT-08), compared as above. */
export function hasEtag(fields: readonly string[], etag: string): boolean {
  const tags = readTags(fields);
  return tags === 'any' || tags.includes(etag.slice(1, -1));
}

/** The opaque tags of `If-None-Match` without their quotes; none where it breaks the grammar. */
function readTags(fields: readonly string[]): 'any' | string[] {
  // Several fields are one list (RFC 9110, section 5.3).
  const list = fields.join(',');
  if (list.trim() === '*') return 'any';
  const tags: string[] = [];
  MEMBER.lastIndex = 0;
  while (MEMBER.lastIndex < list.length) {
    const member = MEMBER.exec(list);
    if (member === null) return [];
    const [, tag] = member;
    if (tag !== undefined) tags.push(tag);
  }
  return tags;
}
