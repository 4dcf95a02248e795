/** Compares the tags of `If-None-Match` with that of an answer (rules SYN-06 and ATT-08). Pure. */
import type { Head } from './head.ts';

/** A member of a list of tags, which may be empty, with the comma or the end behind it (RFC 9110, section 8.8.3). */
const MEMBER = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** The tags of `If-None-Match` (RFC 9110, section 13.1.2); a list that breaks the grammar has none. */
export class KnownTags {
  /** Without their quotes and whether they are weak; `any` is all that there are. */
  readonly tags: 'any' | readonly string[];

  private constructor(tags: 'any' | readonly string[]) {
    this.tags = tags;
  }

  /** Those of a request. */
  static of({ headers }: Pick<Head, 'headers'>): KnownTags {
    // Several fields are one list (RFC 9110, section 5.3).
    const list = (headers.get('if-none-match') ?? []).join(',');
    return new KnownTags(list.trim() === '*' ? 'any' : readTags(list));
  }

  /** Weak comparison (RFC 9110, section 8.8.3.2) with a tag in its quotes. */
  has(etag: string): boolean {
    return this.tags === 'any' || this.tags.includes(etag.slice(etag.indexOf('"') + 1, -1));
  }
}

function readTags(list: string): string[] {
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
