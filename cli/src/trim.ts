/** `twin-ingest trim`: makes a backup of a shared stream, and removes from the stream what every copy and it have. */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from './command-name.ts';
import { placeOf } from './connect/options.ts';
import { complainOf, printHelp, say } from './terminal.ts';
import { tokenIn } from './token-file.ts';
import { trim } from './trim/trim.ts';

const complain = complainOf('trim');

type Name = 'servers' | 'nats' | 'token-file' | 'nats-token-file';

const FLAGS: FlagTable<Name> = {
  servers: {
    value: 'URLS',
    help: 'all servers of the stream, separated by commas; the first makes the backup',
  },
  nats: { value: 'URL', help: 'a server of NATS, nats://HOST:PORT' },
  'token-file': { value: 'FILE', help: 'the token of the servers' },
  'nats-token-file': { value: 'FILE', help: 'the token of NATS' },
};

const USAGE = `Usage: ${COMMAND} trim --servers URLS --nats URL [flags]

Makes a backup on the first server, waits until every server has what the backup has, and removes that from the stream.
Name all servers: one that is left out, and behind, needs the backup afterwards. Nothing is removed after an error.

${flagLines(FLAGS)}
Exit code: 0 trimmed, 1 an error, 2 a wrong flag.
`;

async function main(): Promise<number> {
  letReadersLeave(() => undefined);
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    printHelp(USAGE);
    return 0;
  }
  const problems = parsed.kind === 'wrong' ? [...parsed.problems] : [];
  const { flags, words } = parsed.kind === 'given' ? parsed : { flags: new Map<Name, string>(), words: [] };
  problems.push(...words.map((word) => `unexpected argument ${word}`));
  const servers = (flags.get('servers') ?? '').split(',').map((text) => url(text, 'http:'));
  const nats = url(flags.get('nats') ?? '', 'nats:');
  if (parsed.kind === 'given') {
    if (servers.includes(undefined)) problems.push('--servers must be http://HOST:PORT, separated by commas');
    if (nats === undefined) problems.push('--nats must be nats://HOST:PORT');
  }
  const { cwd } = placeOf(process.env, process.cwd());
  const [serverToken, natsToken] = (['token-file', 'nats-token-file'] as const).map((name) =>
    tokenIn(name, flags.get(name), cwd, problems),
  );
  if (problems.length > 0 || nats === undefined) {
    for (const problem of problems) complain(problem);
    return 2;
  }
  try {
    const origins = servers.map((server) => `http://${server!.host}`);
    const { stream, backup, sequence, removed } = await trim({
      servers: origins,
      nats,
      natsToken,
      serverToken,
    });
    say(`the backup is ${backup}, up to ${sequence}`);
    say(`${origins.length} servers have it; ${removed} messages left ${stream}`);
    return 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    complain(error.message);
    return 1;
  }
}

/** Returns an address of this scheme with a port; `undefined` for other texts. */
function url(text: string, scheme: 'http:' | 'nats:'): URL | undefined {
  const found = URL.parse(text);
  return found?.protocol === scheme && found.port !== '' ? found : undefined;
}

process.exitCode = await main();
