/**
 * Describes the settings of one agent: how it sends its events, and their problems. One module per agent reads them;
 * none contacts a server.
 */
import { type Agent, LOGS_PATH, type Place, type ServerAddress, SettingsError } from '../connect/agent.ts';
import type { Problem } from '../connect/problem.ts';
import { readSettings } from '../connect/settings-file.ts';

/** One way in which an agent sends. */
export interface Way {
  readonly what: 'hooks' | 'telemetry' | 'plugin';
  readonly origin: string;
  /** The file that configures it. */
  readonly file: string;
  /** The file with the token; empty when the settings only show that there is one. */
  readonly token_file: string | null;
}

export interface Inspection {
  readonly agent: Agent;
  /** The ways in which the agent sends; empty if it is not connected. */
  readonly ways: readonly Way[];
  readonly problems: readonly Problem[];
}

/** Inspects an agent. `server` is where it should send, unless its settings name another server. */
export type Inspect = (place: Place, server: ServerAddress) => Inspection;

/**
 * Returns the result of `read` for a file. Returns `null` for a missing file, and for an unreadable one, which is then
 * a problem.
 */
export function readOf<T>(
  path: string,
  label: string,
  problems: Problem[],
  read: (text: string) => T,
): T | null {
  try {
    const { text } = readSettings(path);
    return text === null ? null : read(text);
  } catch (error) {
    const reason =
      error instanceof SettingsError ? error.message : `cannot be read: ${(error as Error).message}`;
    problems.push({
      code: 'bad_settings',
      what: `${path} ${reason}`,
      remedy: `Correct the file; ${label} cannot use it as it is.`,
    });
    return null;
  }
}

export function grpcProblem(label: string, where: string, remedy: string): Problem {
  return {
    code: 'grpc',
    what: `${label} is set to send telemetry over gRPC (${where}), which no server takes.`,
    remedy,
  };
}

/** Checks an endpoint that the agent uses unchanged: it must include the path. */
export function endpointProblem(label: string, endpoint: string, where: string): Problem | null {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url !== null && url.pathname === LOGS_PATH) return null;
  const wanted = url === null ? `http://127.0.0.1:3141${LOGS_PATH}` : `${url.origin}${LOGS_PATH}`;
  return {
    code: 'wrong_path',
    what: `${label} sends its logs to ${endpoint} (${where}), where the server takes none.`,
    remedy: `Set it to ${wanted}.`,
  };
}

/** Reports telemetry that goes to the user's own collector. */
export function elsewhereProblem(label: string, endpoint: string, where: string): Problem {
  return {
    code: 'own_telemetry',
    what: `The telemetry of ${label} goes to ${endpoint} (${where}), so the dashboard has no tokens of it.`,
    remedy: 'Remove that setting and connect again, or have your collector pass the logs on.',
  };
}

export function originOfUrl(text: string): string | null {
  return URL.canParse(text) ? new URL(text).origin : null;
}
