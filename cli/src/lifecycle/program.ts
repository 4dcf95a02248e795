/** Finds the program of a server: the one of a runtime, or the one that `twin-ingest` starts by default. */
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { built } from '../launch/build.ts';
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

/**
 * Returns the program of a runtime, by default that of `twin-ingest`, built if needed; a string says why there is none.
 */
export async function programOf(
  runtime: Runtime | undefined,
  complain: (line: string) => void,
): Promise<Program | string> {
  const choice = chooseRuntime(await factsOf(runtime ?? null));
  if (choice.kind === 'none') return choice.message;
  if ((await built([choice.target], complain)) !== 0) return 'the server could not be built';
  const { command, args } = TARGETS[choice.target];
  return { command, args };
}
