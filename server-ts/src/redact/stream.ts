/**
 * Replaces matches of patterns in bytes that arrive in chunks (rule RED-06).
 *
 * Invariant: the result does not depend on the borders of the chunks. The stream holds back only the bytes that may be
 * the beginning of a match, never a long run.
 */
import { VOCABULARY } from '../contract.ts';
import type { Redaction } from './index.ts';
import { pushSpan } from './patterns.ts';

const MARK_BYTES = Buffer.from(VOCABULARY.redaction.text);

/** State of one sequence of bytes. */
export class RedactionStream {
  private readonly redaction: Redaction;
  /** Bytes that were taken and not returned. */
  private held: Buffer = Buffer.alloc(0);
  /** How many of the held bytes belong to a match that began before them. */
  private covered = 0;
  /** Classes whose matched run reaches the end of the held bytes. */
  private open: number[] = [];
  /** Whether the last returned bytes are the replacement of a match that touches the held bytes. */
  private isReplaced = false;
  private found = false;

  /** Begins a sequence of bytes. */
  constructor(redaction: Redaction) {
    this.redaction = redaction;
  }

  /** Takes the next bytes; returns those that are decided, with replacements. All are with the last bytes. */
  take(bytes: Buffer, isLast: boolean): Buffer {
    const { patterns } = this.redaction;
    const begin = this.held.length;
    const all = begin === 0 ? bytes : Buffer.concat([this.held, bytes]);
    // A match that begins before the cut is decided, as it has all the bytes that it needs.
    const cut = isLast ? all.length : Math.max(0, all.length - patterns.window);
    let { covered } = this;
    this.open = this.open.filter((index) => {
      const end = patterns.runEnd(index, all, begin, all.length);
      covered = Math.max(covered, end);
      return end === all.length;
    });
    const { open } = this;
    const spans: [start: number, end: number][] = covered > 0 ? [[0, covered]] : [];
    patterns.eachMatch(all, 0, all.length, (start, end, index) => {
      if (start >= cut) return;
      pushSpan(spans, start, end);
      if (end === all.length && !open.includes(index)) open.push(index);
    });
    const out: Buffer[] = [];
    let at = 0;
    this.covered = 0;
    for (const [start, end] of spans) {
      this.found = true;
      if (start < cut) {
        out.push(all.subarray(at, start));
        if (start > 0 || !this.isReplaced) out.push(MARK_BYTES);
        at = Math.min(end, cut);
      }
      this.covered = Math.max(0, end - cut);
    }
    out.push(all.subarray(at, cut));
    if (cut > 0) this.isReplaced = at === cut;
    // A copy, so that the held bytes keep no chunk.
    this.held = Buffer.from(all.subarray(cut));
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }

  /** Whether there was a match. */
  get hasMatches(): boolean {
    return this.found;
  }
}
