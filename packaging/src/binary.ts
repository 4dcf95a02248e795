/**
 * `pnpm pack:binary PLATFORM`: builds the Rust server for a platform, and prints the path of the program.
 *
 * zig is the C compiler and the linker for Linux and Windows. It links for an old glibc, for musl and for Windows on
 * any machine. macOS has its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { binaryOf, PLATFORMS, type Platform, platformNamed } from './platforms.ts';
import { run } from './run.ts';
import { zigEnvironment } from './tools.ts';

/** Builds the program; returns its path. The output of cargo goes to stderr. */
export async function buildBinary(platform: Platform): Promise<string> {
  const { os, triple, glibc } = platform;
  const usesZig = os !== 'darwin';
  const target = glibc === undefined ? triple : `${triple}.${glibc}`;
  const args = [
    usesZig ? 'zigbuild' : 'build',
    '--release',
    '--locked',
    '-p',
    'ingest-server',
    '--target',
    target,
  ];
  await run('rustup', ['target', 'add', triple]);
  const env = usesZig ? await zigEnvironment() : process.env;
  const child = spawn('cargo', args, { cwd: ROOT, env, stdio: ['ignore', process.stderr, process.stderr] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cargo ${args.join(' ')} ended with ${code}`);
  return binaryOf(platform);
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  answerHelp(`Usage: pnpm pack:binary PLATFORM

Builds the Rust server for ${PLATFORMS.map(({ name }) => name).join(', ')}, and prints its path.
`);
  process.stdout.write(`${await buildBinary(platformNamed(process.argv[2] ?? ''))}\n`);
}
