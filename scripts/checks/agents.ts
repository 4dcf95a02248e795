/**
 * Checks the folders of `contract/agents`: the mappings by their compiler and by `mapping.schema.json`, and the versions and summaries against the mappings.
 *
 * A wrong word would stop a server at its start. This check reports its place without a server.
 */
import { compileAgents } from '@twin-ingest/mapping/mapping.ts';
import { MappingError } from '@twin-ingest/mapping/problems.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../contract-facts.ts';
import { isObject, oneOf, texts, unknownKeys } from './shape.ts';
import { checkSummaries } from './summaries.ts';

const SOURCES = ['hooks', 'telemetry', 'transcripts'];
const FILES = ['agent', 'connect', 'examples', 'summaries', ...SOURCES];

type Files = ReadonlyMap<string, Json | undefined>;

/** Returns the problems of all agents; `files` are the JSON files below `contract/`. */
export function checkAgents(files: Files): string[] {
  const names = [...files.keys()].flatMap((name) => /^agents\/([^/]+)\//.exec(name)?.[1] ?? []);
  const compiled = checkMappings(files.get('agents.json') ?? {});
  return [
    ...compiled,
    ...(compiled.length > 0 ? [] : checkSchema(files)),
    ...[...new Set(names)].flatMap((name) => checkAgent(name, files)),
  ];
}

function checkMappings(agents: Json): string[] {
  try {
    compileAgents(agents);
    return [];
  } catch (error) {
    if (error instanceof MappingError) return [...error.problems];
    throw error;
  }
}

/** Checks that the schema takes what the compiler takes. */
function checkSchema(files: Files): string[] {
  const schema = files.get('mapping.schema.json');
  if (schema === undefined) return [];
  const validate = new Ajv2020({ strict: false }).compile(schema as object);
  return [...files].flatMap(([name, mapping]) => {
    const isMapping = SOURCES.some(
      (source) => name.startsWith('agents/') && name.endsWith(`/${source}.json`),
    );
    if (!isMapping || mapping === undefined || validate(mapping)) return [];
    const { instancePath = '', message = '' } = validate.errors?.[0] ?? {};
    return [`${name}: ${instancePath} ${message} (mapping.schema.json)`];
  });
}

function checkAgent(name: string, files: Files): string[] {
  const of = (stem: string): Json | undefined => files.get(`agents/${name}/${stem}.json`);
  const agent = of('agent');
  if (!isObject(agent)) return [`agents/${name} has no agent.json`];
  const unknown = [...files.keys()].filter(
    (file) =>
      file.startsWith(`agents/${name}/`) && !FILES.some((stem) => file === `agents/${name}/${stem}.json`),
  );
  const hooks = of('hooks');
  return [
    ...unknown.map((file) => `${file} means nothing`),
    ...unknownKeys(agent, ['about', 'label', 'agent_type', 'versions'], `agents/${name}/agent.json: `),
    ...checkVersions(name, agent.versions, of),
    ...(isObject(hooks) ? checkSummaries(`agents/${name}/summaries.json`, hooks, files) : []),
    ...checkConnect(`agents/${name}/connect.json`, of('connect'), hooks),
  ];
}

/** Checks that names that were not captured are in the mapping, with or without the prefix. */
function checkVersions(
  name: string,
  versions: Json | undefined,
  of: (stem: string) => Json | undefined,
): string[] {
  const where = `agents/${name}/agent.json: versions`;
  if (!isObject(versions)) return [`${where} is no object`];
  // A plugin sends events, so it has no mapping.
  return Object.entries(versions)
    .filter(([source]) => source !== 'plugin')
    .flatMap(([source, version]) => {
      const mapping = of(source);
      if (!SOURCES.includes(source) || !isObject(mapping)) return [`${where}: there are no ${source}`];
      if (!isObject(version)) return [`${where}: ${source} is no object`];
      const { prefix = '' } = (isObject(mapping.name) ? mapping.name : {}) as { prefix?: string };
      const names = ['records', 'logs', 'spans'].flatMap((list) =>
        Object.keys(isObject(mapping[list]) ? mapping[list] : {}),
      );
      const { captured, not_captured: missing = [] } = version;
      const known = [...names, ...names.map((one) => prefix + one)];
      return [
        ...unknownKeys(version, ['captured', 'not_captured'], `${where}: ${source}: `),
        ...(typeof captured === 'string' && captured !== ''
          ? []
          : [`${where}: ${source}: captured is no text`]),
        ...texts(missing, `${where}: ${source}: not_captured`),
        ...(Array.isArray(missing) ? missing : [])
          .filter((one) => !known.some((text) => one === text || String(one) === `${text} of a subagent`))
          .map((one) => `${where}: ${source}: ${String(one)} is no name of a record`),
      ];
    });
}

const FORMATS = ['json', 'env', 'toml', 'plugin'];
const RECIPE_KEYS = [
  ...[
    'about',
    'format',
    'command',
    'help',
    'settings',
    'comments',
    'hooks',
    'member',
    'environment',
    'shell',
  ],
  ...['headers_variable', 'advice', 'advice_without_curl'],
];

/** Checks a recipe: its words, its lines of help, and that connected hooks are those of the mapping. */
function checkConnect(file: string, connect: Json | undefined, mapping: Json | undefined): string[] {
  if (!isObject(connect)) return [];
  const { format, help, hooks, member } = connect;
  const problems = [
    ...unknownKeys(connect, RECIPE_KEYS, `${file}: `),
    ...oneOf(format, FORMATS, `${file}: format`),
    ...texts(help, `${file}: help`),
    // Without an address the settings would name no server.
    ...(isObject(member) && !Object.values(isObject(member.value) ? member.value : {}).includes('{origin}')
      ? [`${file}: member has no {origin}`]
      : []),
  ];
  if (hooks === undefined) return problems;
  const { timeout, events } = isObject(hooks) ? hooks : {};
  const names = isObject(mapping) && isObject(mapping.records) ? Object.keys(mapping.records) : [];
  return [
    ...problems,
    ...(typeof timeout === 'number' && timeout > 0 ? [] : [`${file}: hooks: timeout is no number`]),
    ...Object.entries(isObject(events) ? events : {}).flatMap(([event, kind]) => [
      ...oneOf(event, names, `${file}: hook`),
      ...oneOf(kind, ['http', 'command'], `${file}: ${event}`),
    ]),
  ];
}
