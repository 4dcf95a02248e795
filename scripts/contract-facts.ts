/**
 * Reads the inputs of `check-contract`: the contract, the cases, the scenarios and the sources of both servers.
 *
 * Invariant: it only reads, and returns missing files as absent, so that the check can name them.
 * Knows nothing of what is right or wrong.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A case or a scenario, and the rules that it tests. */
export interface Proof {
  readonly where: string;
  readonly rules: readonly string[];
}

export interface Facts {
  /** Text of `contract/README.md`. */
  readonly page: string;
  /** Texts of `contract/rules` by the names of their files, without the extension. */
  readonly chapters: ReadonlyMap<string, string>;
  /** All texts with rules: the page, then the chapters. */
  readonly rules: string;
  readonly version: string;
  /** The migrations, one after the other. */
  readonly schema: string;
  /** Every JSON file of `contract/`, those of agents by `agents/NAME/FILE`; `undefined` for invalid JSON. */
  readonly json: ReadonlyMap<string, Json | undefined>;
  /** Names of everything in `contract/`. */
  readonly files: readonly string[];
  /** Stems of `contract/queries`. */
  readonly queries: readonly string[];
  readonly proofs: readonly Proof[];
  /** The source text of a server by its folder, without the modules that embed the contract. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The folders of the two servers' sources. */
export const SOURCE_FOLDERS = ['server-rs/src', 'server-ts/src'] as const;

/** Reads a checkout. Throws the file system's error when the contract itself is missing. */
export async function readFacts(root: string): Promise<Facts> {
  const contract = join(root, 'contract');
  const files = readdirSync(contract);
  const mappings = filesBelow(join(contract, 'agents'))
    .map((path) => path.slice(contract.length + 1))
    // The only file of an agent that is no JSON.
    .filter((name) => !name.endsWith('/plugin.js'));
  const prices = existsSync(join(contract, 'prices')) ? ['prices/models.json', 'prices/names.json'] : [];
  const json = [...files.filter((name) => name.endsWith('.json')), ...mappings, ...prices].map(
    (name) => [name, parse(readFileSync(join(contract, name), 'utf8'))] as const,
  );
  const page = readFileSync(join(contract, 'README.md'), 'utf8');
  const chapters = filesBelow(join(contract, 'rules')).map(
    (path) => [basename(path, '.md'), readFileSync(path, 'utf8')] as const,
  );
  return {
    page,
    chapters: new Map(chapters),
    rules: [page, ...chapters.map(([, text]) => text)].join('\n'),
    version: readFileSync(join(contract, 'VERSION'), 'utf8').trim(),
    schema: filesBelow(join(contract, 'migrations'))
      .map((path) => readFileSync(path, 'utf8'))
      .join(''),
    json: new Map(json),
    files,
    queries: filesBelow(join(contract, 'queries'))
      .filter((path) => path.endsWith('.sql'))
      .map((path) => path.replace(/^.*\/(.*)\.sql$/, '$1')),
    proofs: [...readCases(join(root, 'parity-tests/cases')), ...(await readScenarios(root))],
    sources: new Map(SOURCE_FOLDERS.map((folder) => [folder, sourceText(join(root, folder))])),
  };
}

/** Returns the paths of all files below a folder, sorted by name; none for a missing folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

function readCases(folder: string): Proof[] {
  return filesBelow(folder)
    .filter((path) => path.endsWith('.json'))
    .flatMap((path) => {
      const file = path.slice(folder.length + 1);
      const { cases } = JSON.parse(readFileSync(path, 'utf8')) as {
        cases: { name: string; rule: string | string[] }[];
      };
      return cases.map((one) => ({ where: `case ${file}: ${one.name}`, rules: [one.rule].flat() }));
    });
}

async function readScenarios(root: string): Promise<Proof[]> {
  const index = join(root, 'parity-tests/scenarios/index.ts');
  if (!existsSync(index)) return [];
  const module = (await import(pathToFileURL(index).href)) as {
    SCENARIO_FILES: { name: string; scenarios: { name: string; rules: readonly string[] }[] }[];
  };
  return module.SCENARIO_FILES.flatMap((file) =>
    file.scenarios.map((one) => ({ where: `scenario ${file.name}: ${one.name}`, rules: one.rules })),
  );
}

function sourceText(folder: string): string {
  return filesBelow(folder)
    .filter((path) => !/\/(contract|queries)\.(rs|ts)$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
