/**
 * The command line of `pnpm bench:diff`: reads two result files, lays them beside each other and prints that.
 *
 * What must stay true: differences are no failure unless agreement is required, and a file that is no result
 * of this version is refused with a sentence instead of being read half.
 */
import { parseArgs } from 'node:util';
import { type Diff, diffResults } from './diff.ts';
import { markdownDiff, terminalDiff } from './export/diff.ts';
import { violations } from './export/json.ts';
import { readResult, type Violations } from './result-file.ts';

export interface DiffContext {
  readonly violations: Violations;
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

const FLAGS = {
  json: { type: 'boolean', help: 'print everything as JSON' },
  md: { type: 'boolean', help: 'print Markdown for a pull request' },
  'only-differences': { type: 'boolean', help: 'leave out what is the same and what agrees (not of --json)' },
  'require-agreement': {
    type: 'boolean',
    help: 'exit 3 unless every ratio of the headline table agrees, and of the others all but what chance leaves out',
  },
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
  const read = await Promise.all(request.files.map((file) => readResult(file, context.violations)));
  const [a, b] = read;
  if (typeof a === 'string' || typeof b === 'string') {
    return refuse(
      context,
      read.filter((value) => typeof value === 'string'),
    );
  }
  const diff = diffResults(a!, b!);
  context.stdout(shown(diff, request));
  if (!request.requireAgreement || diff.summary.agree) return COMPARED;
  context.stderr('The results do not agree.\n');
  return DISAGREES;
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
  if (files.length !== 2)
    problems.push(`two result files are compared, not ${files.length}; --help shows how`);
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
