/**
 * Copies a built server to the name that `externalBin` needs: `binaries/ingest-server-TRIPLE`, with the target triple
 * of the build, such as `x86_64-unknown-linux-gnu`. Run it before `tauri dev` and `tauri build`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BINARIES = fileURLToPath(new URL('./src-tauri/binaries/', import.meta.url));

/** Returns the name of a sidecar for a target triple. */
export function sidecarName(triple: string): string {
  return `ingest-server-${triple}${triple.includes('windows') ? '.exe' : ''}`;
}

/** Returns the target triple of the Rust compiler on this machine. */
export function hostTriple(): string {
  const { stdout, error } = spawnSync('rustc', ['--print', 'host-tuple'], { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return stdout.trim();
}

/** Copies the program; returns the path of the copy. */
export function nameSidecar(program: string, triple: string, folder = BINARIES): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, sidecarName(triple));
  copyFileSync(program, path);
  chmodSync(path, 0o755);
  return path;
}

/** What `pnpm rust:build` builds. */
const BUILT = fileURLToPath(new URL('../../target/release/ingest-server', import.meta.url));

const HELP = `Usage: pnpm examples:name [PROGRAM] [TRIPLE]

Copies a server to src-tauri/binaries/ingest-server-TRIPLE, for externalBin. By default it is the Rust server of this
checkout, with the triple of rustc.
Exit code: 0 copied, 1 not copied.
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program = BUILT, triple] = process.argv.slice(2);
  if (process.argv.includes('--help')) process.stdout.write(HELP);
  else process.stdout.write(`${nameSidecar(program, triple ?? hostTriple())}\n`);
}
