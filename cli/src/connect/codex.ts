/** Codex: telemetry in config.toml, which has tokens and calls, and command hooks in hooks.json, which have waits. */
import { join } from 'node:path';
import { type Agent, isLoopback, type Place, type ServerAddress, tokenAdvice } from './agent.ts';
import { AgentHooks } from './agent-hooks.ts';
import { type IsOwnOrigin, withExporter, withoutExporter } from './codex-otel.ts';
import { handlersOf, withHooks, withoutHooks } from './hooks-edit.ts';
import { objectText } from './json-object.ts';
import { recipeOf } from './recipe.ts';
import { readSettings } from './settings-file.ts';

const RECIPE = recipeOf('toml');
export const CODEX_HOOKS = new AgentHooks(RECIPE);

export function codexHome({ home, env }: Place): string {
  return env.CODEX_HOME || join(home, '.codex');
}

/** The ports of a collector of OpenTelemetry. */
const COLLECTOR_PORTS = ['4317', '4318'];

/**
 * Codex writes config.toml anew without the remark that marks our exporter. Its server is then one of our hooks, or on
 * this machine, and no collector.
 */
export function isOwnOrigin(place: Place): IsOwnOrigin {
  return (origin) =>
    (isLoopback(origin) && !COLLECTOR_PORTS.includes(new URL(origin).port)) ||
    hookOrigins(place).includes(origin);
}

function hookOrigins(place: Place): string[] {
  try {
    const { text } = readSettings(join(codexHome(place), 'hooks.json'));
    const handlers = handlersOf(objectText(text));
    return handlers.flatMap(({ handler }) => CODEX_HOOKS.serverOf(handler)?.origin ?? []);
  } catch {
    // The part for that file reports what is wrong with it.
    return [];
  }
}

export const CODEX: Agent = {
  name: RECIPE.command,
  label: RECIPE.label,
  agent_type: RECIPE.agent_type,
  // Codex reads telemetry only from the user's own settings.
  hasProjects: false,
  parts(place, choice) {
    const config = {
      path: typeof choice === 'object' ? choice.file : join(codexHome(place), 'config.toml'),
      connected: (text: string | null, server: ServerAddress) =>
        withExporter(text ?? '', server, isOwnOrigin(place)),
      disconnected: (text: string | null) => withoutExporter(text ?? '', isOwnOrigin(place)),
    };
    if (typeof choice === 'object') return [config];
    const hooks = {
      path: join(codexHome(place), 'hooks.json'),
      connected: (text: string | null, server: ServerAddress) =>
        withHooks(objectText(text), CODEX_HOOKS, CODEX_HOOKS.handlersFor(server, place), server.origin),
      disconnected: (text: string | null) => withoutHooks(objectText(text), CODEX_HOOKS),
    };
    return [config, hooks];
  },
  advice(server, { hasCurl }) {
    return [
      hasCurl
        ? 'Codex runs new or changed hooks only after you have trusted them: start codex, type /hooks, and trust those of twin-ingest.'
        : 'Hooks of Codex need a POSIX shell and curl, which this machine lacks, so none was written.',
      'Telemetry works without that step: it has tokens, calls and models. Without hooks the dashboard does not show when Codex waits for you. Codex sends no cost.',
      'Telemetry and hooks hold commands and their output; hooks also hold your prompts and the last answer of a turn.',
      ...tokenAdvice(server, 'Codex'),
    ];
  },
};
