/**
 * Writes the entity tags of snapshots, and reads those of a client's request (rules SYN-05, SYN-06 and ATT-08).
 *
 * Pure.
 */
import type { KnownRevisions } from '../store/read.ts';

/**
 * Matches a member of a list of tags, which may be empty, and the comma or end after it (RFC 9110, section 8.8.3).
 */
const MEMBER = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Returns the tag of a state. It is weak, since time alone changes some bytes of a state without a new revision (RFC
 * 9110, section 8.8.1).
 */
export function etagOf(epoch: string, revision: number): string {
  return `W/"${epoch}-${revision}"`;
}

/**
 * Returns the revisions of this epoch in `If-None-Match` (RFC 9110, section 13.1.2). The comparison is weak: it
 * ignores whether a tag is weak (section 8.8.3.2). A malformed list has no tags.
 */
export function knownRevisions(fields: readonly string[], epoch: string): KnownRevisions {
  const tags = readTags(fields);
  if (tags === 'any') return tags;
  const start = `${epoch}-`;
  return tags.filter((tag) => tag.startsWith(start)).map((tag) => tag.slice(start.length));
}

/** Returns whether a client holds the bytes of this strong tag (rule ATT-08), by the same comparison. */
export function hasEtag(fields: readonly string[], etag: string): boolean {
  const tags = readTags(fields);
  return tags === 'any' || tags.includes(etag.slice(1, -1));
}

/** Returns the opaque tags of `If-None-Match` without their quotes; none for a malformed list. */
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
