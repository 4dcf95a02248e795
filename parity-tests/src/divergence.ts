/**
 * Known divergences: cases that a server is known to answer differently, each with its reason.
 *
 * What must stay true: the list can only shrink or be argued for. An entry whose case passes is a failure, an
 * entry that matches nothing is a failure, and there are at most ten in all.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fullName, type Result } from './result.ts';

export interface Divergence {
  /** `FILE/CASE`, with `*` for any text. */
  readonly pattern: string;
  readonly reason: string;
  /** A regular expression for heads (Latin-1) of this kind, which the differential scenario then leaves out. */
  readonly request?: string;
}

export const MOST_DIVERGENCES = 10;

const FOLDER = new URL('../known-divergences/', import.meta.url);

/** A list that breaks its own rules. */
export class DivergenceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DivergenceError';
  }
}

/** The lists of these targets, by target. */
export function loadDivergences(targets: readonly string[], folder: URL = FOLDER): Map<string, Divergence[]> {
  const lists = new Map(targets.map((target) => [target, loadList(target, folder)]));
  const total = [...lists.values()].reduce((sum, list) => sum + list.length, 0);
  if (total > MOST_DIVERGENCES) {
    throw new DivergenceError(`${total} known divergences, at most ${MOST_DIVERGENCES} are allowed`);
  }
  return lists;
}

/**
 * Results with the known differences taken out. `whole`: nothing was filtered, so that an entry without a
 * match is out of date.
 */
export function applyDivergences(
  results: readonly Result[],
  lists: ReadonlyMap<string, readonly Divergence[]>,
  whole: boolean,
): Result[] {
  const used = new Set<Divergence>();
  const judged = results.map((result): Result => {
    const entry = lists.get(result.target)?.find((one) => matches(one.pattern, fullName(result)));
    if (!entry) return result;
    used.add(entry);
    if (result.outcome.kind === 'failed') {
      return { ...result, outcome: { kind: 'skipped', reason: `known divergence: ${entry.reason}` } };
    }
    if (result.outcome.kind === 'skipped') return result;
    const message = `passes, but is a known divergence (${entry.pattern}): take it off the list`;
    return { ...result, outcome: { kind: 'failed', exchanges: [], message } };
  });
  if (!whole) return judged;
  for (const [target, list] of lists) {
    for (const entry of list.filter((one) => !used.has(one))) {
      judged.push(unusedEntry(target, entry));
    }
  }
  return judged;
}

function loadList(target: string, folder: URL): Divergence[] {
  const file = new URL(`server-${target}.json`, folder);
  if (!existsSync(file)) return [];
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(content)) throw new DivergenceError(`${file.pathname} must be an array`);
  return content.map((entry: unknown, index) => {
    const { pattern, reason, request } = (entry ?? {}) as Record<string, unknown>;
    if (typeof pattern !== 'string' || typeof reason !== 'string' || pattern === '' || reason.length < 20) {
      throw new DivergenceError(
        `${file.pathname}, entry ${index}: needs a pattern and a reason that explains it`,
      );
    }
    if (request !== undefined && (typeof request !== 'string' || !isPattern(request))) {
      throw new DivergenceError(`${file.pathname}, entry ${index}: request must be a regular expression`);
    }
    return request === undefined ? { pattern, reason } : { pattern, reason, request };
  });
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function matches(pattern: string, name: string): boolean {
  const source = pattern.split('*').map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${source.join('.*')}$`).test(name);
}

function unusedEntry(target: string, entry: Divergence): Result {
  const message = `${entry.pattern} matches no case: take it off the list`;
  const outcome = { kind: 'failed', exchanges: [], message } as const;
  return { suite: 'known-divergences', name: entry.pattern, rules: [], target, outcome, ms: 0, notes: [] };
}
