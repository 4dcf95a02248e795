/** Looks at this machine for `chooseRuntime`: the Node that runs, and the servers that are there. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { isPackaged } from '../packaged/is-packaged.ts';
import { rustPackage } from '../packaged/rust-package.ts';
import { chooseRuntime, type Facts, type Runtime, type RustServer } from './runtime.ts';

export function factsOf(requested: Runtime | null): Facts {
  return {
    requested,
    node: process.versions.node,
    napi: Number(process.versions.napi),
    rust: rustServer(),
    isTypeScriptBuilt: existsSync(TARGETS.ts.artefact),
  };
}

function rustServer(): RustServer {
  const platform = `${process.platform}-${process.arch}`;
  if (isPackaged) {
    const { name, binary } = rustPackage();
    return { source: name, isInstalled: binary !== null, platform };
  }
  const { artefact } = TARGETS.rs;
  return { source: relative(process.cwd(), artefact), isInstalled: existsSync(artefact), platform };
}

/** Returns the server that a command starts when the user names none. */
export function installedServer(): TargetName {
  const choice = chooseRuntime(factsOf(null));
  return choice.kind === 'run' ? choice.target : 'rs';
}
