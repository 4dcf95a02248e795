/** Finds the program of a server: a given file, or a built server of this checkout. */
import { existsSync } from 'node:fs';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';

export interface Program {
  readonly command: string;
  /** Arguments before the server's flags. */
  readonly args: readonly string[];
}

export type Runtime = 'rust' | 'node';

export const RUNTIMES: readonly Runtime[] = ['rust', 'node'];

const TARGET_OF = { rust: TARGETS.rs, node: TARGETS.ts } as const;

export function isRuntime(text: string): text is Runtime {
  return text === 'rust' || text === 'node';
}

/** Returns the program of a runtime, else the first one that is built; a string says why there is none. */
export function programOf(runtime: Runtime | undefined): Program | string {
  const wanted = (runtime === undefined ? RUNTIMES : [runtime]).map((name) => TARGET_OF[name]);
  const built = wanted.find(({ artefact }) => existsSync(artefact));
  if (built !== undefined) return { command: built.command, args: built.args };
  return `no server is built: run pnpm ${wanted.map(({ build }) => build).join(' or pnpm ')}`;
}
