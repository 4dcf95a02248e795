/**
 * `twin-ingest` without a command: starts a server, opens the dashboard, and says how to connect an agent.
 *
 * Invariant: only the server writes to stdout, so that a program can read its ready line. Lines for people go to
 * stderr.
 */
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { nameFlags } from './command-name.ts';
import { openPage } from './demo/browser.ts';
import { bannerLines, usable } from './launch/banner.ts';
import { built } from './launch/build.ts';
import { factsOf } from './launch/facts.ts';
import { flagValue, parseLaunch } from './launch/options.ts';
import { type Ready, runCommand, runServer } from './launch/program.ts';
import { chooseRuntime } from './launch/runtime.ts';
import { databasePath, serverOf } from './lifecycle/database.ts';
import { warn as say, warnAll } from './terminal.ts';

/** Starts the server with the given arguments; returns the exit code. */
export async function launch(argv: readonly string[]): Promise<number> {
  const parsed = parseLaunch(argv, process.env);
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) say(`twin-ingest: ${problem}`);
    return 2;
  }
  const { runtime, flags, open, db, isCommand } = parsed.options;
  const isQuiet = isForPeople(flags, process.env);
  const choice = chooseRuntime(await factsOf(runtime));
  if (choice.kind === 'none') {
    say(`twin-ingest: ${choice.message}`);
    return 1;
  }
  const failed = await built([choice.target], (line) => say(`twin-ingest: ${line}`));
  if (failed !== 0) return failed;
  const target = TARGETS[choice.target];
  if (isCommand) return await runCommand(target, flags);
  let isReady = false;
  const onReady = (ready: Ready) => {
    isReady = true;
    const tokenFile = flagValue(flags, 'token-file') ?? process.env.INGEST_TOKEN_FILE;
    const server = `${target.label}: ${choice.why}`;
    warnAll(bannerLines({ ready, server, db, tokenFile, open }));
    if (open) void opened(usable(ready.login_url ?? `${ready.url}/`));
  };
  const more = [...(isQuiet ? ['--log-level', 'warn'] : []), ...nameFlags(flags)];
  const code = await runServer(target, [...flags, ...more], onReady);
  if (!isReady) await explain(code, db, open);
  else if (isQuiet && code === 0) say('Stopped.');
  return code;
}

/** Returns whether a person reads the log. A terminal shows warnings, and the lines of this command. */
function isForPeople(flags: readonly string[], { INGEST_LOG_LEVEL }: NodeJS.ProcessEnv): boolean {
  return process.stderr.isTTY && flagValue(flags, 'log-level') === undefined && !INGEST_LOG_LEVEL;
}

/** Says what to do after a start that failed. The server has said why it failed. */
async function explain(code: number, db: string, open: boolean): Promise<void> {
  const { config, lock, port } = CONFIG.exits;
  if (code === config.code) say('twin-ingest: --help lists all flags');
  if (code !== lock.code && code !== port.code) return;
  const owner = await serverOf(databasePath(db));
  if (owner === undefined) return;
  say(`twin-ingest: a server already shows these events at ${owner.url}/ (process ${owner.pid})`);
  if (open) void opened(`${owner.url}/`);
}

async function opened(page: string): Promise<void> {
  if (!(await openPage(page))) say('  No browser here: open that address yourself.\n');
}
