/** The crates that a newcomer's cargo installs from: those of `Cargo.lock`, and the packed one of this repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { OUT } from '../../src/npm-packages.ts';

/**
 * Returns the `CARGO_HOME` of a new folder, in which a directory source replaces crates.io (The Cargo Book, "Source
 * Replacement"). `cargo install` reads no other configuration. The crate must be packed.
 */
export function localCrates(folder: string): string {
  const [source, home] = [join(folder, 'crates'), join(folder, 'cargo')];
  execFileSync('cargo', ['vendor', '--locked', '--versioned-dirs', source], { cwd: ROOT, stdio: 'pipe' });
  const crates = readdirSync(OUT).filter((name) => name.endsWith('.crate'));
  for (const crate of crates) {
    execFileSync('tar', ['-xzf', join(OUT, crate), '-C', source]);
    const name = crate.slice(0, -'.crate'.length);
    writeFileSync(join(source, name, '.cargo-checksum.json'), '{"files":{},"package":null}');
  }
  mkdirSync(home);
  const config = `[source.crates-io]\nreplace-with = "local"\n[source.local]\ndirectory = ${JSON.stringify(source)}\n`;
  writeFileSync(join(home, 'config.toml'), config);
  return home;
}
