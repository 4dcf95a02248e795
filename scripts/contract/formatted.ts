/**
 * Formats a generated source as the formatters of this repository do, so that a generator need not break its lines.
 *
 * Invariant: a text that the formatter refuses is an error, because it is no source.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));

/** Formats Rust or TypeScript, by the extension of `path`. */
export function formatted(path: string, text: string): string {
  const [program, args] = path.endsWith('.rs')
    ? ['rustfmt', ['--edition', '2024', '--emit', 'stdout']]
    : [BIOME, ['format', `--stdin-file-path=${path}`]];
  return execFileSync(program, args, { cwd: ROOT, input: text, encoding: 'utf8', maxBuffer: 1 << 24 });
}
