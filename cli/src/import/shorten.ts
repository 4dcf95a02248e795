/** Shortens metadata to the size that a server keeps whole with its default flags (rule MET-02). */
import CONFIG from '../../../contract/config.json' with { type: 'json' };

const LIMIT = Number(CONFIG.options.find(({ name }) => name === 'max-metadata-bytes')!.default);
/** Deepest objects and arrays that stay. */
const DEPTH = 16;
/** Longest texts and arrays of each attempt. */
const ATTEMPTS = [
  [4_000, 100],
  [1_000, 50],
  [250, 20],
  [60, 5],
] as const;

/** Returns the value with its long texts and arrays cut; an empty object if that is not enough. */
export function shortened(value: Readonly<Record<string, unknown>>, most = LIMIT): Record<string, unknown> {
  for (const [characters, items] of ATTEMPTS) {
    const cut = cutTo(value, characters, items, DEPTH) as Record<string, unknown>;
    if (Buffer.byteLength(JSON.stringify(cut)) <= most) return cut;
  }
  return {};
}

function cutTo(value: unknown, characters: number, items: number, depth: number): unknown {
  if (typeof value === 'string')
    return value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value))
    return value.slice(0, items).map((item) => cutTo(item, characters, items, depth - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, items)
      .map(([name, one]) => [name, cutTo(one, characters, items, depth - 1)]),
  );
}
