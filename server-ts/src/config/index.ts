/**
 * Turns flags and environment variables into a checked configuration, or into every problem at once (rules PRO-02 to
 * PRO-04).
 *
 * Names, bounds, help and messages come from `contract/config.json`. A wrong value is a problem, never a silent
 * default. Pure: the caller reads the files that flags name.
 */
import { checkCommand, type GivenValues, readArguments, readEnvironment } from './arguments.ts';
import type { Config, Maintenance } from './settings.ts';
import { type ReadFile, Values } from './values.ts';

export type { Durability } from '../contract/flags.ts';
export type { Receiver } from './receiver.ts';
export type { Config, Maintenance } from './settings.ts';
export { helpText, versionText } from './spec.ts';
export type { StreamSource } from './stream-source.ts';
export { isHostName } from './values.ts';

/** Action that the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  /** Do this work on a database, without a server (rule PRO-15). */
  | { readonly kind: 'maintain'; readonly task: Maintenance }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads arguments (without the program's name) and environment. */
export function parseConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): Command {
  const problems: string[] = [];
  const given: GivenValues = new Map();
  const { text, command, file } = readArguments(args, given, problems);
  if (text !== undefined) return { kind: 'print', text };
  readEnvironment(env, command, given, problems);
  const config = new Values(given, problems, readFile, env.TZ).config();
  checkCommand(command, file, given, problems);
  if (problems.length > 0) return { kind: 'problems', problems };
  if (command === undefined) return { kind: 'run', config };
  return { kind: 'maintain', task: { command: command.name, file: file ?? '', db: config.db } };
}
