/**
 * Gemini CLI: the member `telemetry` of its settings (https://geminicli.com/docs/cli/telemetry), which may contain
 * comments.
 *
 * Invariant: a `telemetry` of the user is never changed; ours is recognised by its value.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type Agent,
  type Change,
  type Place,
  type ServerAddress,
  type TextEdit,
  tokenAdvice,
} from './agent.ts';
import { appended, without } from './json-edit.ts';
import { type JsonObject, objectText, readMember } from './json-object.ts';

export function geminiSettings({ home, cwd, env }: Place, isProject: boolean): string {
  return join(isProject ? cwd : env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json');
}

export const GEMINI: Agent = {
  name: 'gemini',
  label: 'Gemini CLI',
  agent_type: 'gemini_cli',
  hasProjects: true,
  parts(place, choice) {
    const path = typeof choice === 'object' ? choice.file : geminiSettings(place, choice === 'project');
    return [
      {
        path,
        connected: (text, server) => connectedGemini(objectText(text), server),
        disconnected: (text) => disconnectedGemini(objectText(text)),
      },
    ];
  },
  advice(server) {
    return [
      'Gemini CLI sends token counts, calls and models, but no cost. logPrompts is false, so prompts stay out.',
      ...tokenAdvice(server, 'Gemini CLI'),
    ];
  },
};

/**
 * Returns the member. Gemini CLI adds `/v1/logs` and similar paths to the endpoint. `http` means OTLP in JSON; the
 * default is gRPC.
 */
export function geminiTelemetry(origin: string): JsonObject {
  return { enabled: true, target: 'local', otlpEndpoint: origin, otlpProtocol: 'http', logPrompts: false };
}

export function connectedGemini(text: string, { origin }: ServerAddress): TextEdit {
  const wanted = geminiTelemetry(origin);
  const telemetry = readMember(text, 'telemetry', true);
  if (telemetry !== undefined && isSame(telemetry, wanted)) return { text, changes: [] };
  const { text: cleared, changes } = disconnectedGemini(text);
  if (readMember(cleared, 'telemetry', true) !== undefined)
    return { text, changes: [changeOf('conflict', telemetry!)] };
  return { text: appended(cleared, [], wanted, 'telemetry'), changes: [...changes, changeOf('add', wanted)] };
}

/** Removes the member that we wrote, for any server. */
export function disconnectedGemini(text: string): TextEdit {
  const telemetry = readMember(text, 'telemetry', true);
  const { otlpEndpoint } = telemetry ?? {};
  if (telemetry === undefined || typeof otlpEndpoint !== 'string') return { text, changes: [] };
  if (!isSame(telemetry, geminiTelemetry(otlpEndpoint)))
    return { text, changes: [changeOf('keep', telemetry)] };
  return { text: without(text, ['telemetry']), changes: [changeOf('remove', telemetry)] };
}

/** Returns whether the member equals one that this program writes, for any server. */
export function isWrittenTelemetry(telemetry: JsonObject): boolean {
  return isSame(telemetry, geminiTelemetry(String(telemetry.otlpEndpoint)));
}

/** Compares two members by value: Gemini CLI may write its settings anew. */
function isSame(telemetry: JsonObject, wanted: JsonObject): boolean {
  return isDeepStrictEqual(telemetry, wanted);
}

function changeOf(kind: Change['kind'], telemetry: JsonObject): Change {
  return { kind, name: 'telemetry', value: JSON.stringify(telemetry) };
}
