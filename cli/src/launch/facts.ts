/** Looks at this machine for `chooseRuntime`: the Node that runs, and the servers that are there. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import zlib from 'node:zlib';
import { freshnessOf } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT, TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { isPackaged } from '../packaged/is-packaged.ts';
import { rustPackage } from '../packaged/rust-package.ts';
import { chooseRuntime, type Facts, type Runtime, type RustServer } from './runtime.ts';

export async function factsOf(requested: Runtime | null): Promise<Facts> {
  return {
    requested,
    node: process.versions.node,
    napi: Number(process.versions.napi),
    hasZstd: 'zstdCompressSync' in zlib,
    rust: await rustServer(),
    // A checkout builds it within a second.
    isTypeScriptBuilt: !isPackaged || existsSync(TARGETS.ts.artefact),
  };
}

async function rustServer(): Promise<RustServer> {
  const platform = `${process.platform}-${process.arch}`;
  if (isPackaged) {
    const { name, binary } = rustPackage();
    return { source: name, isInstalled: binary !== null, platform };
  }
  const build = await freshnessOf(TARGETS.rs);
  return { source: relative(ROOT, TARGETS.rs.artefact), isInstalled: build === 'fresh', platform, build };
}

/** Returns the server that a command starts when the user names none. */
export async function installedServer(): Promise<TargetName> {
  const choice = chooseRuntime(await factsOf(null));
  return choice.kind === 'run' ? choice.target : 'rs';
}
