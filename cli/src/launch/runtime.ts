/**
 * Chooses the server that `twin-ingest` starts: the Rust server where it is installed, else the TypeScript one. In a
 * checkout that is the Rust server where its build is current, because its first build takes minutes.
 *
 * Invariant: no I/O. `facts.ts` looks at the machine, so that tests cover every machine.
 */

import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import SERVER from '../../../server-ts/package.json' with { type: 'json' };

/** The values of `--runtime`. */
export type Runtime = 'rust' | 'node';

export interface Facts {
  /** Value of `--runtime`; `null` lets the machine decide. */
  readonly requested: Runtime | null;
  /** Version of the Node that runs this command, without a `v`. */
  readonly node: string;
  /** Version of its Node-API, which the SQLite module needs. */
  readonly napi: number;
  /** Whether it has zstd, in which the server keeps whole metadata. */
  readonly hasZstd: boolean;
  readonly rust: RustServer;
  readonly isTypeScriptBuilt: boolean;
}

/** Where the Rust server comes from, and whether it is there. */
export interface RustServer {
  /** The package or the file that contains it; `null` when no package exists for this platform. */
  readonly source: string | null;
  readonly isInstalled: boolean;
  readonly platform: string;
  /** In a checkout, where each server can be built: what is wrong with the build of this one. */
  readonly build?: 'fresh' | 'stale' | 'missing';
}

export type Choice =
  | { readonly kind: 'run'; readonly target: TargetName; readonly why: string }
  | { readonly kind: 'none'; readonly message: string };

/** The Node that runs the TypeScript server, as messages name it. */
export const WANTED_NODE = `Node.js ${SERVER.engines.node.replace('>=', '')} or newer`;
/** The Node-API of the SQLite module; some of Node 23 do not have it. */
const OLDEST_NAPI = 10;

export function chooseRuntime(facts: Facts): Choice {
  const { requested, rust, node } = facts;
  const missing = missingText(rust);
  if (requested === 'rust')
    return rust.isInstalled || rust.build !== undefined
      ? { kind: 'run', target: 'rs', why: `--runtime rust, from ${rust.source}` }
      : { kind: 'none', message: `--runtime rust needs the Rust server, but ${missing}` };
  if (requested === null && rust.isInstalled)
    return { kind: 'run', target: 'rs', why: `from ${rust.source} (--runtime node starts the other)` };
  const chooses = rust.build === undefined ? '' : ' (--runtime rust builds it)';
  const why = requested === 'node' ? '--runtime node' : `${missing}${chooses}`;
  if (!runsTypeScript(facts)) {
    const which = requested === 'node' ? '--runtime node' : `${missing}, and the TypeScript server`;
    return { kind: 'none', message: `${which} needs ${WANTED_NODE}; install it, this is Node.js ${node}` };
  }
  if (!facts.isTypeScriptBuilt) return { kind: 'none', message: 'the TypeScript server is not built' };
  return { kind: 'run', target: 'ts', why };
}

/** Returns whether this Node runs the TypeScript server. */
export function runsTypeScript({ napi, hasZstd }: Pick<Facts, 'napi' | 'hasZstd'>): boolean {
  return napi >= OLDEST_NAPI && hasZstd;
}

export function missingText({ source, platform, build }: RustServer): string {
  if (source === null) return `there is no Rust server for ${platform}`;
  if (build === 'stale') return `${source} is older than its sources`;
  return `${source} is not ${build === undefined ? 'installed' : 'built'}`;
}
