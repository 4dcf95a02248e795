/**
 * The command line of `pnpm bench:diff`: reads two result files, lays them beside each other and prints that.
 *
 * What must stay true: differences are no failure unless agreement is required, and a file that is no result
 * of this version is refused with a sentence instead of being read half.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Diff, diffResults } from './diff.ts';
import { markdownDiff, terminalDiff } from './export/diff.ts';
import { violations } from './export/json.ts';
import { type Result, SCHEMA_VERSION } from './result.ts';

export interface DiffContext {
  /** Every violation of the schema as text; none when the value is a valid result. */
  readonly violations: (value: unknown) => Promise<readonly string[]>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export const REAL_CONTEXT: DiffContext = {
  violations,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
};

const COMPARED = 0;
const WRONG_USE = 2;
const DISAGREES = 3;
/** Of a long list of violations. */
const MOST_VIOLATIONS = 5;

const FLAGS = {
  json: { type: 'boolean', help: 'print everything as JSON' },
  md: { type: 'boolean', help: 'print Markdown for a pull request' },
  'only-differences': { type: 'boolean', help: 'leave out what is the same and what agrees (not of --json)' },
  'require-agreement': { type: 'boolean', help: 'exit 3 unless every ratio that can be compared agrees' },
  help: { type: 'boolean', help: 'print this text and exit' },
} as const;

interface Request {
  readonly files: readonly [string, string];
  readonly format: 'terminal' | 'json' | 'md';
  readonly onlyDifferences: boolean;
  readonly requireAgreement: boolean;
}

/** The exit code. */
export async function diffCommand(argv: readonly string[], context: DiffContext): Promise<number> {
  const request = parseRequest(argv);
  if (request === 'help') {
    context.stdout(helpText());
    return COMPARED;
  }
  if (Array.isArray(request)) return refuse(context, request);
  const read = await Promise.all(request.files.map((file) => readResult(file, context)));
  const [a, b] = read;
  if (typeof a === 'string' || typeof b === 'string') {
    return refuse(
      context,
      read.filter((value) => typeof value === 'string'),
    );
  }
  const diff = diffResults(a!, b!);
  context.stdout(shown(diff, request));
  if (!request.requireAgreement || agrees(diff)) return COMPARED;
  context.stderr('The results do not agree.\n');
  return DISAGREES;
}

/** Agreement of nothing is none. */
function agrees({ summary }: Diff): boolean {
  return summary.ratios > 0 && summary.ratios_agree === summary.ratios;
}

function shown(diff: Diff, { format, onlyDifferences }: Request): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(diff, null, 2)}\n`;
    case 'md':
      return markdownDiff(diff, { onlyDifferences });
    case 'terminal':
      return terminalDiff(diff, { onlyDifferences });
  }
}

/** The result, or a sentence that says why the file is none. */
async function readResult(file: string, context: DiffContext): Promise<Result | string> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return error instanceof SyntaxError
      ? `${file} is no JSON`
      : `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
  const version = (value as { schema_version?: unknown } | null)?.schema_version;
  if (version === undefined) return `${file} is no result: it has no schema_version`;
  if (version !== SCHEMA_VERSION) {
    return `${file} is a result of version ${version}; only version ${SCHEMA_VERSION} can be compared, so measure again`;
  }
  const found = await context.violations(value);
  if (found.length === 0) return value as Result;
  const more = found.length > MOST_VIOLATIONS ? ` and ${found.length - MOST_VIOLATIONS} more` : '';
  return `${file} does not follow the schema of a result: ${found.slice(0, MOST_VIOLATIONS).join('; ')}${more}`;
}

/** Every problem at once. */
function parseRequest(argv: readonly string[]): Request | 'help' | string[] {
  const { tokens } = parseArgs({
    // A bare `--`, which pnpm passes on, means nothing.
    args: argv.filter((argument) => argument !== '--'),
    options: FLAGS,
    strict: false,
    tokens: true,
  });
  const problems: string[] = [];
  const given = new Set<string>();
  const files: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(FLAGS, token.name) || !token.rawName.startsWith('--'))
      problems.push(`unknown flag ${token.rawName}; --help lists all`);
    else if (token.value !== undefined) problems.push(`${token.rawName} takes no value`);
    given.add(token.name);
  }
  if (given.has('help')) return 'help';
  if (files.length !== 2) problems.push(`two result files are compared, not ${files.length}`);
  if (given.has('json') && given.has('md')) problems.push('--json and --md exclude each other');
  if (problems.length > 0) return problems;
  return {
    files: [files[0]!, files[1]!],
    format: given.has('json') ? 'json' : given.has('md') ? 'md' : 'terminal',
    onlyDifferences: given.has('only-differences'),
    requireAgreement: given.has('require-agreement'),
  };
}

function refuse(context: DiffContext, problems: readonly string[]): number {
  context.stderr(`${[...new Set(problems)].join('\n')}\n`);
  return WRONG_USE;
}

function helpText(): string {
  return [
    'Usage: pnpm bench:diff A.json B.json [FLAGS]',
    '',
    'Lays two results of pnpm bench:compare beside each other: what changed from A to B, and whether both say',
    'the same of Rust over TypeScript.',
    '',
    ...Object.entries(FLAGS).map(([name, flag]) => `  --${name.padEnd(20)}${flag.help}`),
    '',
    'Exit: 0 compared, 2 a flag or a file is wrong, 3 agreement was required and is not there.',
    '',
  ].join('\n');
}
