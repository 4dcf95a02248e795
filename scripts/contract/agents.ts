/**
 * Joins the folders of `contract/agents` in one file, so that no source of a server or of the CLI names an agent.
 *
 * Records are matched in the order of the agents: that of their names, those that only an attribute identifies last.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../contract-facts.ts';

/** The mappings that an agent may have. */
const SOURCES = ['hooks', 'telemetry', 'transcripts'];

/** Returns the content of `contract/agents.json`. Throws for a folder without a valid `agent.json`. */
export function agentsFile(root: string): JsonObject {
  const folder = join(root, 'contract/agents');
  const agents = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, agentOf(join(folder, name))] as const)
    .filter(([, agent]) => SOURCES.some((source) => agent[source] !== undefined))
    .sort(([one, a], [other, b]) => Number(isGeneric(a)) - Number(isGeneric(b)) || (one < other ? -1 : 1));
  return Object.fromEntries(agents);
}

function agentOf(folder: string): JsonObject {
  const { label, agent_type } = read(join(folder, 'agent.json'));
  const mappings = SOURCES.filter((source) => existsSync(join(folder, `${source}.json`))).map((source) => {
    const { $schema: _, about: __, ...mapping } = read(join(folder, `${source}.json`));
    return [source, mapping] as const;
  });
  return { label: label!, agent_type: agent_type!, ...Object.fromEntries(mappings) };
}

/** Returns whether only an attribute identifies the agent's records. */
function isGeneric({ telemetry }: JsonObject): boolean {
  const { scopes, services } = ((telemetry as JsonObject | undefined)?.known_by ?? {}) as JsonObject;
  return telemetry !== undefined && scopes === undefined && services === undefined;
}

function read(path: string): JsonObject {
  return JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
}
