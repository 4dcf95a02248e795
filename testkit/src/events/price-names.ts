/**
 * The rules of `contract/prices/names.json`: the spellings of a model's name, from the one that was sent to the plainest.
 *
 * Written apart from both servers, so that a test compares three interpreters.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A rule: one of `suffix`, `prefix` and `within`. */
export interface NameRule {
  readonly suffix?: string;
  readonly prefix?: string;
  readonly becomes?: string;
  readonly containing?: string;
  readonly within?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The rules of names. */
export type Rules = Pick<NamesFile, 'ends' | 'beginnings'>;

export interface NamesFile {
  readonly about: string;
  readonly ends: readonly NameRule[];
  readonly beginnings: readonly NameRule[];
  readonly modes: Readonly<Record<string, readonly string[]>>;
}

/** Returns the spellings of a name, the plainest last. */
export function spellingsOf(name: string, { ends, beginnings }: Rules): string[] {
  return chainOf(lowerCase(name), beginnings).flatMap((one) => chainOf(one, ends));
}

/** Returns a name and what these rules make of it, the plainest last. */
export function chainOf(name: string, rules: readonly NameRule[]): string[] {
  const next = plainer(name, rules);
  return next === undefined ? [name] : [name, ...chainOf(next, rules)];
}

/** Returns a text with its ASCII letters in lower case. */
export function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function plainer(name: string, rules: readonly NameRule[]): string | undefined {
  for (const { suffix, prefix, becomes = '', containing = '', within, from = '', to = '' } of rules) {
    if (!name.includes(containing)) continue;
    if (suffix !== undefined) {
      const found = new RegExp(`^(.+)${patternOf(suffix)}$`, 's').exec(name);
      if (found !== null) return found[1]! + becomes;
    } else if (prefix !== undefined) {
      const found = new RegExp(`^${patternOf(prefix)}(.+)$`, 's').exec(name);
      if (found !== null) return becomes + found[1]!;
    } else if (within !== undefined && name.startsWith(within) && name.includes(from, within.length)) {
      return within + name.slice(within.length).replaceAll(from, to);
    }
  }
  return undefined;
}

/** Returns a regular expression: `#` is a digit, and `*` as little text without `/` as fits. */
function patternOf(text: string): string {
  return text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\\*', '[^/]*?')
    .replaceAll('#', '[0-9]');
}

/** Reads `names.json` of a folder. */
export function readNames(folder: string): NamesFile {
  return JSON.parse(readFileSync(join(folder, 'names.json'), 'utf8')) as NamesFile;
}
