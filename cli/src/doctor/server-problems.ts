/** Finds problems of the server that agents send to, and of their token. */
import { join } from 'node:path';
import { COMMAND } from '../command-name.ts';
import type { Agent, Place } from '../connect/agent.ts';
import { TOKEN_VARIABLE } from '../connect/agent.ts';
import type { Problem } from '../connect/problem.ts';
import { dataFolder } from '../launch/options.ts';
import { databasePath, ownerOf } from '../lifecycle/database.ts';
import type { Way } from './inspection.ts';
import type { ServerState } from './server.ts';

/** A way of sending with its agent. */
export interface Sender {
  readonly agent: Agent;
  readonly way: Way;
}

export interface Asked {
  readonly origin: string;
  readonly state: ServerState;
  readonly senders: readonly Sender[];
  /** The file of the token that was sent to the server. */
  readonly token_file: string | null;
  readonly token: string | null;
}

/** Returns the problems of a server. `expected` is the server of --url, if it answers. */
export function serverProblems(asked: Asked, expected: string | null, env: Place['env']): Problem[] {
  const { origin, state, senders } = asked;
  const names = [...new Set(senders.map(({ agent }) => agent.label))].join(', ');
  const who =
    names === '' ? '' : `, where ${names} ${senders.length > 1 && names.includes(',') ? 'send' : 'sends'}`;
  const commands = [
    ...new Set(senders.map(({ agent }) => `${COMMAND} connect ${agent.name} --url ${expected}`)),
  ];
  const port = new URL(origin).port || 80;
  const isElsewhere = expected !== null && expected !== origin && commands.length > 0;
  const start = isElsewhere
    ? `start one with --port ${port}`
    : `Start a server there (${COMMAND} --port ${port})`;
  const moved = isElsewhere
    ? `A server answers at ${expected}: run ${commands.join(' and ')}, or ${start}.`
    : `${start}.`;
  // A server that is started at a port of another program ends at once.
  const taken = isElsewhere
    ? `A server answers at ${expected}: run ${commands.join(' and ')}.`
    : `End it and start a server there (${COMMAND} --port ${port}), or start one with another --port and connect again with its --url.`;
  switch (state.kind) {
    case 'unreachable':
      if (state.isListening)
        return [
          {
            code: 'server_silent',
            what: `${holderOf(asked, env)} listens at ${origin}${who} and does not answer (${state.reason}).`,
            remedy: taken,
          },
        ];
      return [
        {
          code: 'server_unreachable',
          what: `No server answers at ${origin}${who} (${state.reason}).`,
          remedy: moved,
        },
      ];
    case 'foreign':
      return [
        {
          code: 'not_our_server',
          what: `Another program answers at ${origin}${who} (status ${state.status}).`,
          remedy: taken,
        },
      ];
    case 'locked':
      return [lockedProblem(asked)];
    case 'answers':
      return [...healthProblems(asked, state), ...tokenProblems(asked, state, env)];
  }
}

/** Names the program that listens at an address: the owner of a database that a server has by default, if it is there. */
function holderOf({ origin }: Asked, env: Place['env']): string {
  const databases = [env.INGEST_DB, join(dataFolder(env), 'events.db')].flatMap((path) => path || []);
  const owner = databases.map((path) => ownerOf(databasePath(path))).find((one) => one?.url === origin);
  return owner === undefined ? 'A program' : `The server with pid ${owner.pid}`;
}

function lockedProblem({ origin, token, token_file }: Asked): Problem {
  if (token_file === null)
    return {
      code: 'token_missing',
      what: `The server at ${origin} wants a token, and neither the settings nor --token-file say where it is.`,
      remedy: `Run ${COMMAND} doctor --token-file FILE with the file that the server was started with, and connect each agent with --token-file FILE.`,
    };
  if (token === null)
    return {
      code: 'token_missing',
      what: `The server at ${origin} wants a token, and ${token_file} cannot be read or is empty.`,
      remedy: 'Create the file, or connect again with the --token-file that the server was started with.',
    };
  return {
    code: 'token_wrong',
    what: `The server at ${origin} refuses the token in ${token_file}: it is an old one, or that of another server.`,
    remedy: 'Connect again with the --token-file that the server was started with.',
  };
}

function healthProblems(
  { origin }: Asked,
  { health: { status, reason, telemetry } }: Extract<ServerState, { kind: 'answers' }>,
): Problem[] {
  const problems: Problem[] = [];
  if (reason === 'storage_full')
    problems.push({
      code: 'storage_full',
      what: `The disk of the server at ${origin} is full, so it stores nothing (storage_full).`,
      remedy: 'Free space on the disk of its database; the server goes on by itself.',
    });
  else if (status !== 'ok')
    problems.push({
      code: 'server_degraded',
      what: `The server at ${origin} stores nothing: ${status}${reason === undefined ? '' : `, ${reason}`}.`,
      remedy: 'Read its log, and docs/operations.md; restart it once the cause is gone.',
    });
  const connections = telemetry?.grpc_connections ?? 0;
  if (connections > 0)
    problems.push({
      code: 'grpc',
      what: `${count(connections, 'connection')} to ${origin} spoke gRPC, which no server takes.`,
      remedy:
        'Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf for that agent; Gemini CLI: telemetry.otlpProtocol "http"; Codex: otlp-http in place of otlp-grpc.',
    });
  const { wrong_paths = 0, last_wrong_path = null, without_records = 0 } = telemetry ?? {};
  if (wrong_paths > 0)
    problems.push({
      code: 'telemetry_path',
      what: `${count(wrong_paths, 'request')} to ${origin} had almost an address of OTLP, the last one ${last_wrong_path}.`,
      remedy: `Set OTEL_EXPORTER_OTLP_ENDPOINT=${origin} without a path, or give each signal its whole address, such as OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=${origin}/v1/logs.`,
    });
  if (without_records > 0)
    problems.push({
      code: 'telemetry_empty',
      what: `${count(without_records, 'request')} of OTLP to ${origin} had no record, so nothing of them is stored.`,
      remedy:
        'Compare the names in the body with OTLP: JSON has resourceLogs, scopeLogs and logRecords, and a Protobuf body belongs to the address of its signal.',
    });
  return problems;
}

function tokenProblems(
  { origin, token, token_file, senders }: Asked,
  { wantsToken }: Extract<ServerState, { kind: 'answers' }>,
  env: Place['env'],
): Problem[] {
  if (!wantsToken) return [];
  const problems: Problem[] = [];
  const without = senders.filter(({ way }) => way.token_file === null && way.what !== 'telemetry');
  for (const { agent, way } of without)
    problems.push({
      code: 'token_missing',
      what: `The server at ${origin} wants a token, and the ${way.what} of ${agent.label} have none (${way.file}).`,
      remedy: `Run ${COMMAND} connect ${agent.name} --token-file ${token_file} with the --url as before.`,
    });
  const needs = senders.some(({ way }) => way.what === 'telemetry' || way.token_file === '');
  const exported = env[TOKEN_VARIABLE];
  if (needs && exported !== token)
    problems.push({
      code: exported === undefined ? 'token_missing' : 'token_wrong',
      what:
        exported === undefined
          ? `This shell has no ${TOKEN_VARIABLE}, so an agent that is started from it sends no token.`
          : `${TOKEN_VARIABLE} of this shell is not the token in ${token_file}: it is an old one.`,
      remedy: `Export it and OTEL_EXPORTER_OTLP_LOGS_HEADERS as ${COMMAND} connect says, and start the agents again.`,
    });
  return problems;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
