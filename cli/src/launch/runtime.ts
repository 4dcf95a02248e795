/**
 * Chooses the server that `twin-ingest` starts: the Rust server where it is installed, else the TypeScript one.
 *
 * Invariant: no I/O. `facts.ts` looks at the machine, so that tests cover every machine.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

/** The values of `--runtime`. */
export type Runtime = 'rust' | 'node';

export interface Facts {
  /** Value of `--runtime`; `null` lets the machine decide. */
  readonly requested: Runtime | null;
  /** Version of the Node that runs this command, without a `v`. */
  readonly node: string;
  /** Version of its Node-API, which the SQLite module needs. */
  readonly napi: number;
  readonly rust: RustServer;
  readonly isTypeScriptBuilt: boolean;
}

/** Where the Rust server comes from, and whether it is there. */
export interface RustServer {
  /** The package or the file that contains it; `null` when no package exists for this platform. */
  readonly source: string | null;
  readonly isInstalled: boolean;
  readonly platform: string;
}

export type Choice =
  | { readonly kind: 'run'; readonly target: TargetName; readonly why: string }
  | { readonly kind: 'none'; readonly message: string };

/** The version of Node that a message tells the user to install. */
export const WANTED_NODE = 'Node.js 24';
/** Node 22.13 is the oldest that runs the TypeScript server, with Node-API 10. */
const OLDEST_NODE: readonly [number, number] = [22, 13];
const OLDEST_NAPI = 10;

export function chooseRuntime(facts: Facts): Choice {
  const { requested, rust, node } = facts;
  const missing = missingText(rust);
  if (requested === 'rust')
    return rust.isInstalled
      ? { kind: 'run', target: 'rs', why: `--runtime rust, from ${rust.source}` }
      : { kind: 'none', message: `--runtime rust needs the Rust server, but ${missing}` };
  if (requested === null && rust.isInstalled)
    return { kind: 'run', target: 'rs', why: `from ${rust.source}` };
  const why = requested === 'node' ? '--runtime node' : missing;
  if (!runsTypeScript(facts)) {
    const which = requested === 'node' ? '--runtime node' : `${missing}, and the TypeScript server`;
    return { kind: 'none', message: `${which} needs ${WANTED_NODE}; install it, this is Node.js ${node}` };
  }
  if (!facts.isTypeScriptBuilt) return { kind: 'none', message: 'the TypeScript server is not built' };
  return { kind: 'run', target: 'ts', why };
}

/** Returns whether this Node runs the TypeScript server. */
export function runsTypeScript({ node, napi }: Pick<Facts, 'node' | 'napi'>): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isNew = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isNew && napi >= OLDEST_NAPI;
}

export function missingText({ source, platform }: RustServer): string {
  return source === null ? `there is no Rust server for ${platform}` : `${source} is not installed`;
}
