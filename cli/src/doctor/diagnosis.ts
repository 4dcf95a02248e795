/**
 * Builds the whole diagnosis: the settings of every agent, the servers in them, and the events received from each.
 */
import { COMMAND, UPDATE } from '../command-name.ts';
import type { Agent, Place } from '../connect/agent.ts';
import type { Problem } from '../connect/problem.ts';
import { ALL_RECIPES, listed } from '../connect/recipe.ts';
import { tokenLine } from '../token-file.ts';
import { inspectClaude } from './claude-code.ts';
import { inspectCodex } from './codex.ts';
import type { Inspect, Inspection, Way } from './inspection.ts';
import { inspectJson } from './json-agent.ts';
import { inspectOpencode } from './opencode.ts';
import { type AgentTelemetry, askServer, type LastEvent, lastEvent } from './server.ts';
import { type Asked, type Sender, serverProblems } from './server-problems.ts';

export interface DoctorOptions {
  readonly place: Place;
  /** The server that agents should send to. */
  readonly origin: string;
  readonly token_file: string | null;
}

/** A way of sending, and the newest event that arrived by it; `'unknown'` if the server did not say. */
export interface Arrival {
  readonly way: Way;
  readonly last: LastEvent | null | 'unknown';
}

export interface AgentReport {
  readonly agent: Agent;
  readonly arrivals: readonly Arrival[];
  readonly telemetry: AgentTelemetry | null;
}

export interface Diagnosis {
  readonly servers: readonly Asked[];
  readonly agents: readonly AgentReport[];
  /** Records of agents unknown to the servers. */
  readonly unknown: AgentTelemetry | null;
  readonly problems: readonly Problem[];
}

/** What reads the settings of the agents whose format no other agent has. */
const OWN_FORMATS: Readonly<Record<string, Inspect>> = {
  env: inspectClaude,
  toml: inspectCodex,
  plugin: inspectOpencode,
};
const INSPECTS = ALL_RECIPES.map((recipe) => OWN_FORMATS[recipe.format] ?? inspectJson(recipe));

export async function diagnose(options: DoctorOptions): Promise<Diagnosis> {
  const { place, origin } = options;
  const inspections = INSPECTS.map((inspect) => inspect(place, { origin, token_file: null }));
  const senders = inspections.flatMap(({ agent, ways }) => ways.map((way) => ({ agent, way })));
  const origins = new Set([origin, ...senders.map(({ way }) => way.origin)]);
  const asked = await Promise.all([...origins].map(async (one) => await ask(one, senders, options)));
  const expected = asked.find((one) => one.origin === origin && one.state.kind !== 'unreachable') ?? null;
  // A server that no agent sends to is left out if it does not answer. If no agent is connected, all servers stay.
  const servers = asked.filter(
    (one) => one.senders.length > 0 || senders.length === 0 || one.state.kind === 'answers',
  );
  const agents = await Promise.all(inspections.map(async (one) => await reportOf(one, asked)));
  const problems = [
    ...servers.flatMap((one) => serverProblems(one, expected?.origin ?? null, place.env)),
    ...inspections.flatMap((inspection) => inspection.problems),
    ...(senders.length === 0 ? [NOT_CONNECTED] : []),
    ...agents.flatMap((report) => [...silenceOf(report, asked), ...refusalsOf(report)]),
  ];
  const unknown = telemetryOf(asked, 'unknown');
  // Several agents may report the same problem of a server.
  const once = [...new Map(problems.map((problem) => [problem.what, problem])).values()];
  return { servers, agents, unknown, problems: once };
}

const NOT_CONNECTED: Problem = {
  code: 'not_connected',
  what: 'No agent is connected.',
  remedy: `Run ${COMMAND} connect ${listed(
    ALL_RECIPES.map(({ command }) => command),
    'or',
  )}.`,
};

async function ask(origin: string, all: readonly Sender[], options: DoctorOptions): Promise<Asked> {
  const senders = all.filter(({ way }) => way.origin === origin);
  const token_file =
    options.token_file ?? senders.map(({ way }) => way.token_file).find((file) => file) ?? null;
  const token = token_file === null ? null : tokenLine(token_file);
  return { origin, state: await askServer(origin, token), senders, token_file, token };
}

async function reportOf({ agent, ways }: Inspection, asked: readonly Asked[]): Promise<AgentReport> {
  const arrivals = ways.map(async (way) => {
    const { token, state } = asked.find(({ origin }) => origin === way.origin)!;
    if (state.kind !== 'answers') return { way, last: 'unknown' as const };
    const last = await lastEvent(way.origin, token, agent.agent_type, SOURCES[way.what]);
    return { way, last };
  });
  return { agent, arrivals: await Promise.all(arrivals), telemetry: telemetryOf(asked, agent.agent_type) };
}

const SOURCES: Readonly<Record<Way['what'], string>> = { hooks: 'hook', telemetry: 'otel', plugin: 'hook' };

/** Returns the telemetry of the first server that has some from this agent. */
function telemetryOf(asked: readonly Asked[], agent_type: string): AgentTelemetry | null {
  for (const { state } of asked) {
    if (state.kind !== 'answers') continue;
    const found = state.health.telemetry?.agents.find((one) => one.agent_type === agent_type);
    if (found !== undefined) return found;
  }
  return null;
}

/** Finds ways of sending from which the server got no events, although it could have received some. */
function silenceOf({ agent, arrivals, telemetry }: AgentReport, asked: readonly Asked[]): Problem[] {
  return arrivals.flatMap(({ way, last }): Problem[] => {
    const { state } = asked.find(({ origin }) => origin === way.origin)!;
    if (last !== null || state.kind !== 'answers') return [];
    if (way.what === 'telemetry' && state.health.telemetry === undefined)
      return [
        {
          code: 'old_server',
          what: `The server at ${way.origin} is too old to take telemetry.`,
          remedy: `${UPDATE} and restart it.`,
        },
      ];
    if (way.what === 'telemetry' && telemetry !== null) return [];
    return [
      {
        code: 'nothing_received',
        what: `Nothing has come from the ${way.what} of ${agent.label} yet.`,
        remedy: `Start a new session of ${agent.label}, which reads its settings when it starts; then run this again.`,
      },
    ];
  });
}

/** Finds telemetry that the server received but refused completely. */
function refusalsOf({ agent, arrivals, telemetry }: AgentReport): Problem[] {
  const arrival = arrivals.find(({ way }) => way.what === 'telemetry');
  if (arrival === undefined || telemetry === null || telemetry.stored + telemetry.duplicates > 0) return [];
  const reasons = Object.entries(telemetry.ignored).map(([reason, number]) => `${number} ${reason}`);
  if (reasons.length === 0) return [];
  return [
    {
      code: 'records_refused',
      what: `The server at ${arrival.way.origin} has stored no telemetry of ${agent.label}, and refused ${reasons.join(', ')}.`,
      remedy: `The agent may be newer than the server. ${UPDATE} and restart it.`,
    },
  ];
}
