/**
 * `twin-ingest export SESSION`: writes one session as NDJSON or Markdown.
 *
 * Invariant: memory is bounded by one page of events, whatever the length of the session.
 */
import { createWriteStream, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from './command-name.ts';
import { DEFAULT_ORIGIN } from './connect/agent.ts';
import { originOf, placeOf } from './connect/options.ts';
import { absence } from './connect/reachability.ts';
import { askServer } from './doctor/server.ts';
import { headOf, Writer } from './export/markdown.ts';
import { type Address, linesOf, MissingSessionError, rowsOf, sessionOf } from './export/rows.ts';
import { reasonOf } from './request.ts';
import { systemSentence } from './system-error.ts';
import { complainOf, linesForOutput, printHelp, shownText, writePiece } from './terminal.ts';
import { tokenIn } from './token-file.ts';

const FORMATS = ['markdown', 'ndjson'] as const;
type Format = (typeof FORMATS)[number];

const FLAGS: FlagTable<'format' | 'out' | 'url' | 'token-file'> = {
  format: { value: 'FORMAT', help: `${FORMATS.join(' or ')} (default ${FORMATS[0]})` },
  out: { value: 'FILE', help: 'a new file for the session instead of the standard output' },
  url: { value: 'URL', help: `server to read from (default ${DEFAULT_ORIGIN})` },
  'token-file': { value: 'FILE', help: 'the file that the server has its token from' },
};

const HELP = `Usage: ${COMMAND} export SESSION [flags]

Writes a session. Markdown has prompts, answers, calls and errors for a reader, in the order of their time.
NDJSON has every event with every column, as GET /api/events returns it, in the order of arrival.

${flagLines(FLAGS)}
Exit code: 0 written, 1 not written, 2 a wrong flag.
`;

const complain = complainOf('export');

async function main(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    printHelp(HELP);
    return 0;
  }
  const problems = parsed.kind === 'wrong' ? parsed.problems : [];
  const [session, ...rest] = parsed.kind === 'wrong' ? [''] : parsed.words;
  const flags = parsed.kind === 'wrong' ? new Map<string, string>() : parsed.flags;
  if (session === undefined) problems.push('which session? the dashboard and GET /api/sessions show its id');
  problems.push(...rest.map((word) => `unexpected argument ${word}`));
  const format = (flags.get('format') ?? FORMATS[0]) as Format;
  if (!FORMATS.includes(format)) problems.push(`--format must be ${FORMATS.join(' or ')}, not ${format}`);
  const origin = originOf(flags.get('url') ?? DEFAULT_ORIGIN, problems);
  const { cwd } = placeOf(process.env, process.cwd());
  const token = tokenIn('token-file', flags.get('token-file'), cwd, problems);
  if (problems.length > 0 || session === undefined) {
    for (const problem of problems) complain(problem);
    return 2;
  }
  const out = flags.has('out') ? resolve(cwd, flags.get('out')!) : null;
  try {
    await write(await pieces({ origin, token }, session, format, out !== null), out);
    return 0;
  } catch (error) {
    complain(await explained(error, { origin, token }));
    return 1;
  }
}

/** Says why nothing was written. An error of a request alone does not say whether a server is there. */
async function explained(error: unknown, { origin, token }: Address): Promise<string> {
  const reason = reasonOf(error, 30_000);
  if (error instanceof MissingSessionError || systemSentence(error) !== null) return reason;
  const state = await askServer(origin, token ?? null);
  if (state.kind === 'answers') return reason;
  if (state.kind === 'locked')
    return `${origin} refuses the token; --token-file names the file of the server`;
  return absence(origin, state);
}

/** Returns the document in pieces. Rejects before the first one if there is no such session. */
async function pieces(
  address: Address,
  id: string,
  format: Format,
  isFile: boolean,
): Promise<AsyncIterable<Uint8Array | string>> {
  const session = await sessionOf(address, id);
  if (format === 'ndjson') return isFile ? linesOf(address, id) : linesForOutput(linesOf(address, id));
  return (async function* () {
    yield shownText(headOf(session));
    const writer = new Writer();
    for await (const row of rowsOf(address, id)) {
      const part = writer.part(row);
      if (part !== '') yield shownText(part);
    }
  })();
}

/** Writes the pieces. A file that is not whole does not stay. */
async function write(document: AsyncIterable<Uint8Array | string>, path: string | null): Promise<void> {
  if (path === null) {
    let isRead = true;
    letReadersLeave(() => {
      isRead = false;
    });
    for await (const piece of document) {
      if (!isRead) return;
      if (!writePiece(piece)) await drained(() => isRead);
    }
    return;
  }
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let isOurs = false;
  file.once('open', () => {
    isOurs = true;
  });
  try {
    await pipeline(Readable.from(document), file);
  } catch (error) {
    if (isOurs) rmSync(path, { force: true });
    throw error;
  }
}

/** Resolves when the output takes more, or no one reads it any longer. */
async function drained(isRead: () => boolean): Promise<void> {
  while (isRead() && process.stdout.writableNeedDrain)
    await new Promise((done) => {
      const late = setTimeout(done, 50);
      process.stdout.once('drain', () => {
        clearTimeout(late);
        done(undefined);
      });
    });
}

process.exitCode = await main();
