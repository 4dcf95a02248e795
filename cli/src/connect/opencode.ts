/**
 * OpenCode: a plugin file, since its telemetry is experimental and has no cost (https://opencode.ai/docs/plugins).
 *
 * The whole file is ours, as its first line states. Invariant: a file without that line is never changed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPackaged } from '../packaged/is-packaged.ts';
import {
  type Agent,
  type ChangeKind,
  type Edit,
  type Place,
  type ServerAddress,
  SettingsError,
} from './agent.ts';
import { recipeOf } from './recipe.ts';

const RECIPE = recipeOf('plugin');
/** In a package the file is next to the program (cli/build.ts). */
const FILE = isPackaged ? 'opencode-plugin.js' : '../../../contract/agents/opencode/plugin.js';
const SOURCE = readFileSync(new URL(FILE, import.meta.url), 'utf8');
/** How the plugin starts; files of earlier versions name a script of a checkout. */
const FIRST_WORDS = /^\/\/ (?:twin-ingest|pnpm) connect opencode wrote this file/;
const SERVER_LINES = /^const ORIGIN = .*\nconst TOKEN_FILE = .*$/m;

export function opencodePlugin({ home, cwd, env }: Place, isProject: boolean): string {
  const folder = isProject
    ? join(cwd, '.opencode')
    : env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
  return join(folder, 'plugins', 'twin-ingest.js');
}

export const OPENCODE: Agent = {
  name: RECIPE.command,
  label: RECIPE.label,
  agent_type: RECIPE.agent_type,
  hasProjects: true,
  parts(place, choice) {
    const path = typeof choice === 'object' ? choice.file : opencodePlugin(place, choice === 'project');
    return [
      {
        path,
        connected: (text, server) => withPlugin(text, server),
        disconnected: (text) => withoutPlugin(text),
      },
    ];
  },
  advice() {
    return [
      'The plugin sends sessions, calls with their input, tokens and cost; no prompts, no answers, no output of tools.',
      'Start OpenCode again: it loads plugins when it starts.',
    ];
  },
};

/** Returns the text of the plugin for a server. */
export function pluginFor({ origin, token_file }: ServerAddress): string {
  return SOURCE.replace(
    SERVER_LINES,
    () => `const ORIGIN = ${JSON.stringify(origin)};\nconst TOKEN_FILE = ${JSON.stringify(token_file)};`,
  );
}

function withPlugin(text: string | null, server: ServerAddress): Edit {
  const wanted = pluginFor(server);
  if (text === wanted) return { text, changes: [] };
  const removed = withoutPlugin(text).changes;
  return { text: wanted, changes: [...removed, change('add', `sends to ${server.origin}/api/events`)] };
}

function withoutPlugin(text: string | null): Edit {
  if (text === null) return { text, changes: [] };
  const server = pluginServer(text);
  if (server === null) throw new SettingsError('shape', 'is not the plugin of twin-ingest connect');
  return { text: null, changes: [change('remove', `sends to ${server.origin}/api/events`)] };
}

/** Returns the server in the text of our plugin, even if changed by hand. */
export function pluginServer(text: string): ServerAddress | null {
  if (!FIRST_WORDS.test(text)) return null;
  const value = (name: string): unknown => {
    const found = new RegExp(`^const ${name} = (.*);$`, 'm').exec(text)?.[1] ?? 'null';
    try {
      return JSON.parse(found);
    } catch {
      return null;
    }
  };
  const [origin, token_file] = [value('ORIGIN'), value('TOKEN_FILE')];
  return {
    origin: typeof origin === 'string' ? origin : '?',
    token_file: typeof token_file === 'string' ? token_file : null,
  };
}

function change(kind: ChangeKind, value: string) {
  return { kind, name: 'plugin', value };
}
