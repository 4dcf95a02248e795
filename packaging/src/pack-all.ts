/**
 * `pnpm pack:all`: makes all tarballs of this machine in `dist/`: npm packages, the crate, and their checksums.
 *
 * Other machines add the Rust servers of their platforms (.github/workflows/release.yml).
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { buildBinary } from './binary.ts';
import { writeChecksums } from './checksums.ts';
import { packCrate } from './crate.ts';
import { OUT, packBench, packClient, packCommandLine, packServer } from './npm-packages.ts';
import { PLATFORMS, type Platform, platformNamed } from './platforms.ts';

const FLAGS: FlagTable<'platform' | 'only' | 'quick'> = {
  platform: { value: 'NAME', help: `of the Rust server: ${PLATFORMS.map(({ name }) => name).join(', ')}` },
  only: { value: 'KIND', help: 'server, or portable: what is the same for all platforms (default: both)' },
  quick: { help: 'pack the Rust server of pnpm rust:build, and check the crate instead of building it' },
};

async function main(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    process.stdout.write(`Usage: pnpm pack:all [flags]

Packs twin-ingest, its bench, its client, the Rust server of a platform and the crate into dist/, and writes SHA256SUMS.

${flagLines(FLAGS)}`);
    return 0;
  }
  const problems = parsed.kind === 'wrong' ? [...parsed.problems] : [];
  const flags = parsed.kind === 'wrong' ? new Map<string, string>() : parsed.flags;
  const only = flags.get('only') ?? 'both';
  if (!['both', 'server', 'portable'].includes(only))
    problems.push(`--only must be server or portable, not ${only}`);
  const name = flags.get('platform');
  const quick = flags.has('quick');
  if (quick && name !== undefined) problems.push('--quick packs for this machine, so it has no --platform');
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`pack:all: ${problem}\n`);
    return 2;
  }
  const platform = name === undefined ? ownPlatform() : platformNamed(name);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  if (only !== 'portable') {
    if (quick) await packOwnServer(platform);
    else {
      await buildBinary(platform);
      await packServer(platform);
    }
  }
  if (only !== 'server') {
    await packCommandLine();
    await packBench();
    await packClient();
    await packCrate(quick);
  }
  rmSync(join(OUT, 'stage'), { recursive: true, force: true });
  writeChecksums(OUT);
  for (const file of readdirSync(OUT)) process.stdout.write(`dist/${file}\n`);
  return 0;
}

/** Packs the program of `pnpm rust:build`. It needs the glibc of this machine, so it is for tests alone. */
async function packOwnServer({ glibc: _, ...platform }: Platform): Promise<void> {
  await packServer(platform, TARGETS.rs.artefact);
}

/** The platform of this machine, with glibc on Linux. */
function ownPlatform(): Platform {
  return platformNamed(`${process.platform}-${process.arch}`);
}

process.exitCode = await main();
