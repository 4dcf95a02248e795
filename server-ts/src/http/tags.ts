/** Compares the tags of `If-None-Match` with that of an answer (rules SYN-06 and ATT-08). Pure. */

/** A member of a list of tags, which may be empty, with the comma or the end behind it (RFC 9110, section 8.8.3). */
const MEMBER = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** The tags of `If-None-Match`, without their quotes and whether they are weak; `any` is all that there are. */
export type KnownTags = 'any' | readonly string[];

/**
 * The tags of a request (RFC 9110, section 13.1.2); several fields are one list, and one that is malformed names
 * nothing.
 */
export function knownTags(fields: readonly string[]): KnownTags {
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
