/** Reads the settings of Gemini CLI. The environment overrides them, and machine-wide settings override all. */
import { join } from 'node:path';
import type { Place } from '../connect/agent.ts';
import { GEMINI, geminiSettings, isWrittenTelemetry } from '../connect/gemini.ts';
import { type JsonObject, objectText, readMember } from '../connect/json-object.ts';
import type { Problem } from '../connect/problem.ts';
import { elsewhereProblem, grpcProblem, type Inspect, originOfUrl, readOf, type Way } from './inspection.ts';

const { label } = GEMINI;

export const inspectGemini: Inspect = (place, server) => {
  const problems: Problem[] = [];
  const ways: Way[] = [];
  const { telemetry, file, managed, isWritten } = telemetryOf(place, problems);
  const endpoint = String(telemetry.otlpEndpoint ?? '');
  const origin = originOfUrl(endpoint);
  if (origin === null || !(isWritten || origin === server.origin)) return { agent: GEMINI, ways, problems };

  if (managed !== null)
    problems.push({
      code: 'managed',
      what: `${managed} sets telemetry, which overrides your own settings of ${label}.`,
      remedy: 'Only the administrator of this machine can change it.',
    });
  ways.push({ what: 'telemetry', origin, file, token_file: null });
  if (String(telemetry.enabled) !== 'true')
    problems.push({
      code: 'telemetry_off',
      what: `The telemetry of ${label} is off (telemetry.enabled in ${file}, or GEMINI_TELEMETRY_ENABLED).`,
      remedy: 'Set it to true.',
    });
  if (telemetry.otlpProtocol !== 'http')
    problems.push(
      grpcProblem(
        label,
        `telemetry.otlpProtocol, grpc unless set, in ${file}`,
        'Set telemetry.otlpProtocol to "http".',
      ),
    );
  if (new URL(endpoint).pathname !== '/')
    problems.push({
      code: 'wrong_path',
      what: `telemetry.otlpEndpoint in ${file} is ${endpoint}; ${label} adds /v1/logs to it, and the server has no such path.`,
      remedy: `Set it to ${origin}.`,
    });
  if (telemetry.target === 'gcp')
    problems.push(elsewhereProblem(label, 'Google Cloud', `telemetry.target in ${file}`));
  if (typeof telemetry.outfile === 'string')
    problems.push(elsewhereProblem(label, telemetry.outfile, `telemetry.outfile in ${file}`));
  return { agent: GEMINI, ways, problems };
};

const VARIABLES: readonly (readonly [variable: string, key: string])[] = [
  ['GEMINI_TELEMETRY_ENABLED', 'enabled'],
  ['GEMINI_TELEMETRY_TARGET', 'target'],
  ['GEMINI_TELEMETRY_OTLP_ENDPOINT', 'otlpEndpoint'],
  ['GEMINI_TELEMETRY_OTLP_PROTOCOL', 'otlpProtocol'],
  ['GEMINI_TELEMETRY_OUTFILE', 'outfile'],
];

function telemetryOf(
  place: Place,
  problems: Problem[],
): {
  readonly telemetry: JsonObject;
  readonly file: string;
  readonly managed: string | null;
  readonly isWritten: boolean;
} {
  const read = (path: string) =>
    readOf(path, label, problems, (text) => readMember(objectText(text), 'telemetry', true) ?? null);
  const system = systemSettings(place);
  const managed = read(system);
  let telemetry: JsonObject = {};
  let file = geminiSettings(place, false);
  let isWritten = false;
  for (const path of new Set([file, geminiSettings(place, true)])) {
    const found = read(path);
    if (found === null) continue;
    telemetry = { ...telemetry, ...found };
    file = path;
    isWritten ||= isWrittenTelemetry(found);
  }
  telemetry = { ...telemetry, ...managed };
  for (const [variable, key] of VARIABLES) {
    const value = place.env[variable];
    if (value !== undefined && value !== '') telemetry = { ...telemetry, [key]: value };
  }
  return { telemetry, file, managed: managed === null ? null : system, isWritten };
}

function systemSettings({ system, platform, env }: Place): string {
  const folder =
    platform === 'darwin'
      ? join(system, 'Library', 'Application Support', 'GeminiCli')
      : join(system, 'etc', 'gemini-cli');
  return env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(folder, 'settings.json');
}
