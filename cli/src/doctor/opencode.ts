/** Checks whether OpenCode has the plugin, and whether it is the current version. */

import { COMMAND } from '../command-name.ts';
import { OPENCODE, opencodePlugin, pluginFor, pluginServer } from '../connect/opencode.ts';
import type { Problem } from '../connect/problem.ts';
import { type Inspect, readOf, type Way } from './inspection.ts';

const { label } = OPENCODE;

export const inspectOpencode: Inspect = (place) => {
  const problems: Problem[] = [];
  const ways: Way[] = [];
  for (const file of new Set([opencodePlugin(place, false), opencodePlugin(place, true)])) {
    const text = readOf(file, label, problems, (read) => read);
    const server = text === null ? null : pluginServer(text);
    if (server === null) continue;
    ways.push({ what: 'plugin', origin: server.origin, file, token_file: server.token_file });
    if (text !== pluginFor(server))
      problems.push({
        code: 'changed_by_hand',
        what: `${file} is not the plugin that is written today.`,
        remedy: `Run ${COMMAND} connect opencode again; it keeps a backup.`,
      });
  }
  return { agent: OPENCODE, ways, problems };
};
