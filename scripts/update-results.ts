/**
 * Writes the published documents of the committed measurements. These are a section of the README,
 * docs/benchmark-results.md, a document for each suite below docs/suites, and blocks of figures in other documents.
 * With `--check` it only lists files that are out of date.
 *
 * Invariants: no figure in these files is typed by hand. The same result gives the same bytes. The checkout is written
 * only if all files can be generated.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESULT } from '@twin-ingest/loadgen/result/files.ts';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { generated, textAt } from './result-documents.ts';

/** Returns the paths of files that are missing or do not have their required content. */
export function outOfDate(root: string): string[] {
  return stale(root, generated(root));
}

/** Writes outdated files; returns their paths. */
export function update(root: string): string[] {
  const files = generated(root);
  const paths = stale(root, files);
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path)!);
  }
  return paths;
}

function stale(root: string, files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([path, text]) => textAt(join(root, path)) !== text).map(([path]) => path);
}

function main(args: readonly string[]): number {
  answerHelp(`Usage: pnpm results:update, pnpm results:check

Writes README.md, docs/benchmark-results.md, docs/suites/*.md, and blocks of docs/performance.md, docs/prior-benchmarks.md
and docs/choosing-a-format.md from benchmark-results.json and docs/suites/*.json; results:check writes nothing.

Exit code: 0 done or up to date, 1 a file is out of date, 2 a wrong flag.
`);
  const unknown = args.filter((argument) => argument !== '--check');
  if (unknown.length > 0) {
    process.stderr.write(`update-results: unknown argument ${unknown[0]}; there is only --check\n`);
    return 2;
  }
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (args.length === 0) {
    for (const path of update(root)) process.stdout.write(`${path}: written\n`);
    return 0;
  }
  const paths = outOfDate(root);
  for (const path of paths) {
    process.stderr.write(
      `${path} is not what ${RESULT} and docs/suites make; run \`node scripts/update-results.ts\`\n`,
    );
  }
  return paths.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
