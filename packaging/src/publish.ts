/**
 * `pnpm publish:npm`: publishes the tarballs of `dist/` to the registry of npm's configuration.
 *
 * The servers come first, since `twin-ingest` needs them from its first moment. A version that the registry has is
 * left out, so that a release that failed half-way continues. SHA256SUMS must agree with the tarballs.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { checkChecksums } from './checksums.ts';
import { OUT } from './npm-packages.ts';
import { run } from './run.ts';

const FLAGS: FlagTable<'provenance' | 'dry-run'> = {
  provenance: { help: 'sign where the tarballs were built; works on a hosting service alone' },
  'dry-run': { help: 'show what would be published' },
};

export interface Publishing {
  /** Arguments of every npm command, for example `--userconfig FILE`. */
  readonly npm?: readonly string[];
  readonly provenance?: boolean;
  readonly dryRun?: boolean;
  readonly folder?: string;
}

/** Publishes the tarballs of a folder; returns those that the registry did not have. */
export async function publishAll(options: Publishing = {}): Promise<string[]> {
  const { npm = [], folder = OUT, provenance = false, dryRun = false } = options;
  const published: string[] = [];
  for (const file of inOrder(readdirSync(folder).filter((name) => name.endsWith('.tgz')))) {
    const path = join(folder, file);
    const { name, version } = await nameOf(path);
    if (await isPublished(name, version, npm)) continue;
    const flags = [...(provenance ? ['--provenance'] : []), ...(dryRun ? ['--dry-run'] : [])];
    await run('npm', ['publish', path, '--access', 'public', ...flags, ...npm], { cwd: folder });
    published.push(`${name}@${version}`);
  }
  return published;
}

/** The command line comes last. */
function inOrder(files: readonly string[]): string[] {
  const isLast = (file: string) => /^twin-ingest-\d/.test(file);
  return [...files.filter((file) => !isLast(file)).sort(), ...files.filter(isLast)];
}

async function nameOf(path: string): Promise<{ name: string; version: string }> {
  const manifest = await run('tar', ['-xzOf', path, 'package/package.json']);
  return JSON.parse(manifest) as { name: string; version: string };
}

async function isPublished(name: string, version: string, npm: readonly string[]): Promise<boolean> {
  try {
    return (await run('npm', ['view', `${name}@${version}`, 'version', ...npm])).trim() !== '';
  } catch (error) {
    if (String(error).includes('E404')) return false;
    throw error;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    process.stdout.write(`Usage: pnpm publish:npm [flags]

Publishes the tarballs of dist/ to npm's registry, after it has compared them with SHA256SUMS.

${flagLines(FLAGS)}`);
  } else if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) process.stderr.write(`publish:npm: ${problem}\n`);
    process.exitCode = 2;
  } else {
    checkChecksums(OUT);
    const published = await publishAll({
      provenance: parsed.flags.has('provenance'),
      dryRun: parsed.flags.has('dry-run'),
    });
    for (const name of published) process.stdout.write(`published ${name}\n`);
  }
}
