/**
 * Reads the names, defaults, limits and versions that documents are compared with.
 *
 * Invariant: it only reads. Knows nothing of documents.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, readFacts } from '../contract-facts.ts';

export interface DocumentFacts {
  readonly root: string;
  /** Commands of `package.json`. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Subcommands of `twin-ingest`. */
  readonly subcommands: readonly string[];
  /** Flags and variables of the servers, with the defaults. */
  readonly options: readonly { readonly name: string; readonly env: string; readonly default: Json }[];
  /** Entries of `limits.json` and `tuning.json`. */
  readonly limits: Readonly<Record<string, Json>>;
  readonly routes: readonly string[];
  readonly metrics: readonly string[];
  /** The highest number of each group of rules. */
  readonly rules: ReadonlyMap<string, number>;
  readonly exits: readonly number[];
  /** The verified version of each agent, by the name that documents use. */
  readonly agents: Readonly<Record<string, string>>;
  /** Versions of Node that a manifest or a test names. */
  readonly node: readonly string[];
  readonly pnpm: string;
  /** Versions of the packages of npm and PyPI that a manifest names. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
  readonly versions: { readonly server: string; readonly contract: string };
}

interface Manifest {
  readonly scripts: Record<string, string>;
  readonly version: string;
  readonly packageManager: string;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies: Record<string, string>;
}

const AGENT_NAMES = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'OpenCode',
};
/** The oldest Node that runs pnpm. The dependencies contain the one that runs the scripts. */
const NODE_OF_PNPM = '18';

/** Reads a checkout. */
export async function readDocumentFacts(root: string): Promise<DocumentFacts> {
  const json = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
  const facts = await readFacts(root);
  const file = <T>(name: string): T => facts.json.get(name) as T;
  const manifest = json<Manifest>('package.json');
  const server = json<Manifest>('server-ts/package.json');
  const config = file<{
    options: DocumentFacts['options'];
    commands: { name: string }[];
    exits: Record<string, { code: number }>;
  }>('config.json');
  const { COMMANDS } = (await import(join(root, 'cli/src/commands.ts'))) as { COMMANDS: { name: string }[] };
  const agents = json<Record<keyof typeof AGENT_NAMES, { version: string }>>('agent-tests/versions.json');
  const { npm } = json<{ npm: Record<string, string> }>('packaging/versions.json');
  const tested = Object.values(npm).flatMap((text) => /^npm:node-.*@([\d.]+)$/.exec(text)?.[1] ?? []);
  return {
    root,
    scripts: manifest.scripts,
    subcommands: ['start', ...COMMANDS.map(({ name }) => name), ...config.commands.map(({ name }) => name)],
    options: config.options,
    limits: { ...file<Record<string, Json>>('limits.json'), ...file<Record<string, Json>>('tuning.json') },
    routes: file<{ routes: { path: string }[] }>('routes.json').routes.map(({ path }) => path),
    metrics: file<{ families: { name: string }[] }>('metrics.json').families.map(({ name }) => name),
    rules: new Map(
      [...facts.rules.matchAll(/\*\*([A-Z]{3})-(\d\d)\*\*/g)].map(([, group, number]) => [
        group!,
        Number(number),
      ]),
    ),
    exits: [0, 1, ...Object.values(config.exits).map(({ code }) => code)],
    agents: Object.fromEntries(
      Object.entries(AGENT_NAMES).map(([id, name]) => [name, agents[id as keyof typeof AGENT_NAMES].version]),
    ),
    node: [
      ...[manifest, server].flatMap(({ engines }) => /[\d.]+/.exec(engines?.node ?? '')?.[0] ?? []),
      ...Object.values(manifest.optionalDependencies),
      ...tested,
      NODE_OF_PNPM,
    ],
    packages: packageVersions(root),
    pnpm: manifest.packageManager.slice('pnpm@'.length),
    versions: { server: server.version, contract: facts.version },
  };
}

/** Returns the versions of all packages that a `package.json` or a `requirements.txt` names. */
function packageVersions(root: string): Map<string, string[]> {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '*package.json', '*requirements*.txt'], {
    cwd: root,
    encoding: 'utf8',
  });
  const named = stdout
    .split('\0')
    .filter((path) => path !== '')
    .flatMap((path) => [
      ...readFileSync(join(root, path), 'utf8').matchAll(/"?([@\w/.-]+)"?(?:: "|==)(\d+(?:\.\w+)+)/g),
    ]);
  const versions = new Map<string, string[]>();
  for (const [, name, version] of named.filter(([, name]) => name !== 'version'))
    versions.set(name!, [...(versions.get(name!) ?? []), version!]);
  return versions;
}
