/**
 * Finds the bytes that patterns match (rule RED-04).
 *
 * Pure. The time is linear in the length of the bytes. The automaton reads each byte once, and so does the search for
 * the end of a run.
 */
import { VOCABULARY } from '../contract.ts';
import { Automaton } from './automaton.ts';
import type { RedactionPattern } from './rules.ts';

/** Bytes from a start up to an end. */
type Span = [start: number, end: number];

/** The patterns of a file. */
export class Patterns {
  /** The number of bytes after the first of a match that suffice to recognise the match. */
  readonly window: number;
  /** The number of bytes of the shortest match. */
  private readonly least: number;
  private readonly patterns: readonly RedactionPattern[];
  private readonly prefixes: Automaton;

  /** Prepares the search for these patterns. */
  constructor(patterns: readonly RedactionPattern[]) {
    this.patterns = patterns;
    this.prefixes = new Automaton(patterns.map(({ prefix }) => Buffer.from(prefix)));
    this.least = Math.min(...patterns.map(({ prefix, minimum }) => prefix.length + minimum));
    this.window = Math.max(0, ...patterns.map(({ prefix, minimum }) => prefix.length + minimum - 1));
  }

  /**
   * Calls `visit` with the start, the end and the class of every match from `start` up to `end`, ordered by the ends of
   * their prefixes. A match ends where its run of the class ends.
   */
  eachMatch(
    bytes: Buffer,
    start: number,
    end: number,
    visit: (start: number, end: number, index: number) => void,
  ): void {
    // The end of the newest run of each class. Prefixes end in order, so an earlier run is not needed again.
    const ends: number[] = [];
    this.prefixes.eachMatch(bytes, start, end, (word, from) => {
      const { prefix, class: index, minimum } = this.patterns[word]!;
      let run = ends[index] ?? -1;
      if (run < from) {
        run = this.runEnd(index, bytes, from, end);
        ends[index] = run;
      }
      if (run - from >= minimum) visit(from - prefix.length, run, index);
    });
  }

  /** Returns whether a match may be among the bytes: one of the prefixes is. */
  mayMatch(bytes: Buffer, start: number, end: number): boolean {
    return end - start >= this.least && this.prefixes.isMatch(bytes, start, end);
  }

  /** Returns the spans of all bytes that matches contain: in order, none touches another. */
  spans(bytes: Buffer, start: number, end: number): Span[] {
    const spans: Span[] = [];
    if (!this.mayMatch(bytes, start, end)) return spans;
    this.eachMatch(bytes, start, end, (from, to) => pushSpan(spans, from, to));
    return spans;
  }

  /** Returns the end of the run of a class that begins at `from`, at most `end`. */
  runEnd(index: number, bytes: Buffer, from: number, end: number): number {
    const members = CLASSES[index]!;
    let at = from;
    while (at < end && members[bytes[at]!] === 1) at++;
    return at;
  }
}

/** Adds a span to spans that are in order and apart; joins it with those that it overlaps or touches. */
export function pushSpan(spans: Span[], start: number, end: number): void {
  let [from, to] = [start, end];
  for (let last = spans.at(-1); last !== undefined && last[1] >= from; last = spans.at(-1)) {
    from = Math.min(from, last[0]);
    to = Math.max(to, last[1]);
    spans.pop();
  }
  spans.push([from, to]);
}

/** Which bytes each class contains. */
const CLASSES = Object.values(VOCABULARY.redaction.classes).map((ranges) => {
  const members = new Uint8Array(256);
  // A range is its first and its last character.
  for (const range of ranges) members.fill(1, range.charCodeAt(0), range.charCodeAt(1) + 1);
  return members;
});
