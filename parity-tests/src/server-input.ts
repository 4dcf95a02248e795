/** Starts and ends a server with `--stdin` (rules PRO-12 to PRO-14), for the scenarios of standard input. */
import assert from 'node:assert/strict';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer, StartOptions } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type ResultLine, resultLines } from './result-lines.ts';
import type { ScenarioContext } from './scenario.ts';

type Started = StartOptions & { target?: TargetName; db?: string };

/** Starts a server that reads this format from its standard input. */
export function startWithInput(
  context: ScenarioContext,
  format: string,
  more: Started = {},
): Promise<RunningServer> {
  const { flags = [], ...rest } = more;
  return context.start({ ...rest, flags: ['--stdin', format, ...flags], hasInput: true });
}

/** Returns a valid event with these fields as a line, without its line feed. */
export function lineOf(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(event(fields));
}

/** Ends the input; returns all results of a server that exits with 0. */
export async function finishInput(server: RunningServer): Promise<ResultLine[]> {
  server.endInput();
  assert.deepEqual(await server.exited, { code: 0, signal: null }, server.stderr());
  return resultLines(server);
}

export async function totalOf(context: ScenarioContext, server: RunningServer): Promise<number> {
  const stats = await context.client(server).get('/api/stats');
  return stats.json<{ total_events: number }>().total_events;
}
