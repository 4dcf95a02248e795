/** Prints the diagnosis as text for a terminal. */

import { COMMAND } from '../command-name.ts';
import type { Problem } from '../connect/problem.ts';
import type { AgentReport, Arrival, Diagnosis } from './diagnosis.ts';
import type { AgentTelemetry } from './server.ts';
import { type Asked, count } from './server-problems.ts';

/** Explains the reasons of rule OTL-11 to a user. */
const REASONS: Readonly<Record<string, string>> = {
  unknown_agent: 'of a program that the servers do not know',
  unknown_event: 'of a kind that the servers do not know, perhaps of a newer agent',
  no_session: 'without a session',
  too_large: 'too large',
  invalid: 'with values that break the rules',
};

export function reportLines(diagnosis: Diagnosis, now: Date): string[] {
  const { servers, agents, unknown, problems } = diagnosis;
  return [
    ...servers.map(serverLine),
    '',
    ...agents.flatMap((report) => agentLines(report, now)),
    ...(unknown === null ? [] : ['Others', `  ${telemetryText(unknown)}`]),
    '',
    ...problemLines(problems),
  ];
}

function serverLine({ origin, state }: Asked): string {
  switch (state.kind) {
    case 'unreachable':
      return `Server ${origin}: ${state.isListening ? 'listens, but gives no answer' : 'no answer'} (${state.reason})`;
    case 'foreign':
      return `Server ${origin}: another program (status ${state.status})`;
    case 'locked':
      return `Server ${origin}: wants a token`;
    case 'answers': {
      const { runtime, version, status } = state.health;
      return `Server ${origin}: ${status} (${[runtime, version].filter((text) => text !== undefined).join(' ')})`;
    }
  }
}

function agentLines({ agent, arrivals, telemetry }: AgentReport, now: Date): string[] {
  if (arrivals.length === 0) return [`${agent.label}: not connected (${COMMAND} connect ${agent.name})`];
  return [
    `${agent.label}: connected`,
    ...arrivals.flatMap((arrival) => arrivalLines(arrival, telemetry, now)),
  ];
}

function arrivalLines({ way, last }: Arrival, telemetry: AgentTelemetry | null, now: Date): string[] {
  const isTelemetry = way.what === 'telemetry' && telemetry !== null;
  const event = last === 'unknown' ? null : last;
  const at = event?.created_at ?? (isTelemetry ? telemetry.last_at : null);
  const name = event === null ? '' : `: ${event.source_event ?? event.event_type}`;
  const none = last === 'unknown' ? 'unknown' : 'never';
  const lines = [
    `  ${way.what.padEnd(9)}  to ${way.origin}, by ${way.file}`,
    `  ${''.padEnd(9)}  last ${at === null ? none : `${ago(at, now)}${name}`}`,
  ];
  return isTelemetry ? [...lines, `  ${''.padEnd(9)}  ${telemetryText(telemetry)}`] : lines;
}

function telemetryText({ logs, spans, points, stored, duplicates, noise, ignored }: AgentTelemetry): string {
  const received = [count(logs, 'log'), count(spans, 'span'), count(points, 'metric point')];
  const refused = Object.entries(ignored).map(
    ([reason, number]) => `${number} refused, ${REASONS[reason] ?? reason} (${reason})`,
  );
  const kept = [`${stored} stored`, `${duplicates} duplicates`, `${noise} skipped as noise`, ...refused];
  return `since the server started ${received.join(', ')}: ${kept.join('; ')}`;
}

function problemLines(problems: readonly Problem[]): string[] {
  if (problems.length === 0) return ['All is well.'];
  return [
    `${count(problems.length, 'thing')} to do:`,
    ...problems.flatMap(({ what, remedy }, i) => [`${`${i + 1}.`.padStart(3)} ${what}`, `    ${remedy}`]),
  ];
}

/** Formats an age for a user; the timestamp itself when the clocks disagree. */
function ago(at: string, now: Date): string {
  const seconds = Math.round((now.getTime() - Date.parse(at)) / 1000);
  if (!(seconds >= 0)) return `at ${at}`;
  if (seconds < 60) return `${count(seconds, 'second')} ago`;
  if (seconds < 3600) return `${count(Math.floor(seconds / 60), 'minute')} ago`;
  return seconds < 172_800 ? `${count(Math.floor(seconds / 3600), 'hour')} ago` : `at ${at}`;
}
