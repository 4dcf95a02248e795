/** Parses the command line of `twin-ingest import`. Reads only the given environment. */
import { join, resolve } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from '../command-name.ts';
import { DEFAULT_ORIGIN, type Place } from '../connect/agent.ts';
import { agentOf } from '../connect/agents.ts';
import { originOf, placeOf } from '../connect/options.ts';
import { tokenIn } from '../token-file.ts';
import { MAPPINGS, type TranscriptMapping } from './mapping.ts';
import { parseSince, type Since } from './since.ts';

export interface ImportOptions {
  readonly mapping: TranscriptMapping;
  /** The name of the agent for people. */
  readonly label: string;
  /** Absolute files and folders. */
  readonly paths: readonly string[];
  readonly origin: string;
  readonly token: string | undefined;
  /** Unix milliseconds; events before this time are left out. */
  /** What is older is left out. */
  readonly since: Since;
  readonly dryRun: boolean;
}

export type ParsedImport =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: ImportOptions };

const FLAGS: FlagTable<'url' | 'token-file' | 'since' | 'dry-run'> = {
  url: { value: 'URL', help: `server to send to (default ${DEFAULT_ORIGIN})` },
  'token-file': { value: 'FILE', help: 'the file that the server has its token from' },
  since: {
    value: 'DATE',
    help: 'leave out what is older: a day of the server such as 2026-01-31, or an RFC 3339 time',
  },
  'dry-run': { help: 'read and count, send nothing' },
};

const NAMES = Object.keys(MAPPINGS);

const HELP = `Usage: ${COMMAND} import ${NAMES.join('|')} [PATH...] [flags]

Sends the sessions of an agent's transcripts to a server: prompts, answers, calls, tokens, models, durations.
What hooks or telemetry have already reported is not counted again, and a second run adds only what is new.
What the last minute wrote waits for the next run.

  claude-code  ~/.claude/projects, or the files and folders given as PATH
  codex        ~/.codex/sessions, or the files and folders given as PATH

${flagLines(FLAGS)}
Damaged and unknown lines are counted and named, and the rest is imported.
Exit code: 0 imported, 1 not everything could be read or sent, 2 a wrong flag.
`;

export function parseImport(argv: readonly string[], env: Place['env'], cwd: string): ParsedImport {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: HELP };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const [name, ...given] = words;
  const problems: string[] = [];
  const known = `there is ${NAMES.join(', ')}`;
  const mapping = NAMES.includes(name ?? '') ? MAPPINGS[name!] : undefined;
  if (name === undefined) problems.push(`which agent? ${known}`);
  else if (mapping === undefined) problems.push(`unknown agent ${name}; ${known}`);
  const origin = originOf(flags.get('url') ?? DEFAULT_ORIGIN, problems);
  const since = flags.has('since') ? parseSince(flags.get('since')!) : { ms: 0 };
  if (since === undefined) problems.push(`--since must be a date, not ${flags.get('since')}`);
  const place = placeOf(env, cwd);
  const token = tokenIn('token-file', flags.get('token-file'), place.cwd, problems);
  if (problems.length > 0 || mapping === undefined || since === undefined) return { kind: 'wrong', problems };
  const { variable, home, below } = mapping.folder;
  const paths = given.length > 0 ? given : [join(env[variable] || join(place.home, home), below)];
  return {
    kind: 'run',
    options: {
      mapping,
      label: agentOf(name)!.label,
      paths: paths.map((path) => resolve(place.cwd, path)),
      origin,
      token,
      since,
      dryRun: flags.has('dry-run'),
    },
  };
}
