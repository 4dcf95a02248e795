/** Finds the program of a server: the one of a runtime, or the one that `twin-ingest` starts by default. */
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { factsOf } from '../launch/facts.ts';
import { chooseRuntime, type Runtime } from '../launch/runtime.ts';

export type { Runtime };

export interface Program {
  readonly command: string;
  /** Arguments before the server's flags. */
  readonly args: readonly string[];
}

export const RUNTIMES: readonly Runtime[] = ['rust', 'node'];

export function isRuntime(text: string): text is Runtime {
  return text === 'rust' || text === 'node';
}

/** Returns the program of a runtime, by default that of `twin-ingest`; a string says why there is none. */
export function programOf(runtime: Runtime | undefined): Program | string {
  const choice = chooseRuntime(factsOf(runtime ?? null));
  if (choice.kind === 'none') return choice.message;
  const { command, args } = TARGETS[choice.target];
  return { command, args };
}
