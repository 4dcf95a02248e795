/**
 * Generates what follows from the folders of `contract/agents`: the mappings in one file, the texts for the dashboard,
 * and the routes of hooks. So no source of a server, of the client or of the dashboard names an agent.
 *
 * Records are matched in the order of the agents: that of their names, those that only an attribute identifies last.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../contract-facts.ts';

/** The mappings that an agent may have. */
const SOURCES = ['hooks', 'telemetry', 'transcripts'];
/** Where the paths of hooks begin. */
const HOOKS = '/api/hooks/';

/** Returns the content of `contract/agents.json`. Throws for a folder without a valid `agent.json`. */
export function agentsFile(root: string): JsonObject {
  const mapped = agentsOf(root).filter(([, agent]) => SOURCES.some((source) => agent[source] !== undefined));
  return Object.fromEntries(mapped);
}

/**
 * Returns the content of `contract/agent-texts.json`: by `agent_type` the name for people, the name for `connect`, and
 * the summaries of hooks.
 */
export function agentTexts(root: string): JsonObject {
  const texts = agentsOf(root).map(([name, { label, agent_type }]) => {
    const file = (stem: string): string => join(root, 'contract/agents', name, `${stem}.json`);
    const { about: _, ...summaries } = existsSync(file('summaries')) ? read(file('summaries')) : {};
    const connect = existsSync(file('connect')) ? (read(file('connect')).command ?? name) : undefined;
    return [
      agent_type as string,
      {
        label: label!,
        ...(connect === undefined ? {} : { connect }),
        ...(Object.keys(summaries).length === 0 ? {} : { summaries }),
      },
    ] as const;
  });
  return Object.fromEntries(texts);
}

/** Returns the content of `contract/connect.json`: the recipe of each agent that `connect` knows, for the CLI. */
export function recipes(root: string): JsonObject {
  const known = agentsOf(root).flatMap(([name, { label, agent_type }]) => {
    const file = join(root, 'contract/agents', name, 'connect.json');
    if (!existsSync(file)) return [];
    const { about: _, command = name, ...recipe } = read(file);
    return [{ name, command, label: label!, agent_type: agent_type!, ...recipe }];
  });
  return { agents: known };
}

/** An agent that has hooks: the path of its route, and its name for people. */
export interface HookRoute {
  readonly path: string;
  readonly label: string;
}

export function hookRoutes(root: string): HookRoute[] {
  return agentsOf(root)
    .filter(([, { hooks }]) => hooks !== undefined)
    .map(([name, { label }]) => ({ path: `${HOOKS}${name}`, label: label as string }));
}

/** Returns `routes.json` with a route for the hooks of each agent. */
export function withHookRoutes(file: JsonObject, agents: readonly HookRoute[]): JsonObject {
  const routes = file.routes as JsonObject[];
  const [at, others] = apart(routes, ({ path }) => String(path));
  const own = agents.map(({ path }) => ({ ...routes[at]!, path }));
  return { ...file, routes: others.toSpliced(at, 0, ...own) };
}

/** Returns `openapi.json` with a path for the hooks of each agent. */
export function withHookPaths(file: JsonObject, agents: readonly HookRoute[]): JsonObject {
  const paths = Object.entries(file.paths as Record<string, { post: JsonObject }>);
  const [at, others] = apart(paths, ([path]) => path);
  const [, { post }] = paths[at]!;
  const own = agents.map(({ path, label }): (typeof paths)[number] => [
    path,
    { post: { ...post, summary: `Store what a hook of ${label} sends` } },
  ]);
  return { ...file, paths: Object.fromEntries(others.toSpliced(at, 0, ...own)) };
}

/** Returns the index of the first route of hooks, and all other routes. */
function apart<T>(routes: readonly T[], pathOf: (route: T) => string): [number, T[]] {
  const isHook = (route: T): boolean => pathOf(route).startsWith(HOOKS);
  return [routes.findIndex(isHook), routes.filter((route) => !isHook(route))];
}

/** Returns all agents in the order in which records are matched. */
function agentsOf(root: string): (readonly [name: string, agent: JsonObject])[] {
  const folder = join(root, 'contract/agents');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, agentOf(join(folder, name))] as const)
    .sort(([one, a], [other, b]) => Number(isGeneric(a)) - Number(isGeneric(b)) || (one < other ? -1 : 1));
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
