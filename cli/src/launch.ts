/**
 * `twin-ingest` without a command: starts a server, opens the dashboard, and says how to connect an agent.
 *
 * Invariant: only the server writes to stdout, so that a program can read its ready line. Lines for people go to
 * stderr.
 */
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { openPage } from './demo/browser.ts';
import { factsOf } from './launch/facts.ts';
import { parseLaunch } from './launch/options.ts';
import { type Ready, runCommand, runServer } from './launch/program.ts';
import { chooseRuntime } from './launch/runtime.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Starts the server with the given arguments; returns the exit code. */
export async function launch(argv: readonly string[]): Promise<number> {
  const parsed = parseLaunch(argv, process.env);
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) say(`twin-ingest: ${problem}`);
    return 2;
  }
  const { runtime, flags, open, db, isCommand } = parsed.options;
  const choice = chooseRuntime(factsOf(runtime));
  if (choice.kind === 'none') {
    say(`twin-ingest: ${choice.message}`);
    return 1;
  }
  const target = TARGETS[choice.target];
  if (isCommand) return await runCommand(target, flags);
  say(`twin-ingest: starting the server in ${target.label} (${choice.why})`);
  const onReady = (ready: Ready) => {
    const page = `${ready.url}/`;
    say(`\n  Dashboard  ${page}\n  Events     ${db}`);
    say(`  Connect    pnpm connect claude-code   (or codex, gemini, opencode)`);
    say(`  Send       curl ${page}api/events -H 'content-type: application/json' \\`);
    say(`               -d '{"session_id":"s1","agent_type":"claude_code","event_type":"tool_use"}'`);
    say('  Ctrl-C stops the server.\n');
    if (open) void opened(ready.login_url ?? page);
  };
  return await runServer(target, flags, onReady);
}

async function opened(page: string): Promise<void> {
  if (!(await openPage(page))) say('  No browser here: open that address yourself.\n');
}
