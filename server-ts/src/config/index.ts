/**
 * Flags and environment variables to a checked configuration, or to every problem at once (rules PRO-02 to PRO-04).
 *
 * Names, bounds, help and messages are those of `contract/config.json`. Nothing falls back to a default
 * because it was wrong. Pure but for the token's file, which the caller reads.
 */
import type { LogLevel } from '../log.ts';
import type { Durability } from '../store/connection.ts';
import { type Given, readArguments, readEnvironment } from './arguments.ts';
import { Values } from './values.ts';

export { helpText, versionText } from './spec.ts';

/** The checked configuration; units stand in the names. */
export interface Config {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  readonly db: string;
  readonly durability: Durability;
  readonly maxBodyBytes: number;
  readonly maxBatchEvents: number;
  readonly maxMetadataBytes: number;
  readonly queueEvents: number;
  readonly queueBytes: number;
  readonly sessionTimeoutMinutes: number;
  readonly maxStreamClients: number;
  readonly heartbeatMs: number;
  readonly statsIntervalMs: number;
  /** The text of `--token-file`. */
  readonly token: string | undefined;
  /** Lower case, as `allowOrigins`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly logLevel: LogLevel;
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads the token's file; nothing where it cannot be read. */
export type ReadFile = (path: string) => { readonly text: string; readonly mode: number } | undefined;

/** Reads arguments (without the program's name) and environment. */
export function parseConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): Command {
  const problems: string[] = [];
  const given = new Map<string, Given[]>();
  const text = readArguments(args, given, problems);
  if (text !== undefined) return { kind: 'print', text };
  readEnvironment(env, given, problems);
  const config = new Values(given, problems, readFile).config();
  return problems.length === 0 ? { kind: 'run', config } : { kind: 'problems', problems };
}
