/**
 * Runs the commands of documents from top to bottom: each in a fresh clone, and those of the packages in an empty home
 * folder.
 *
 * A server runs until the next one starts, so that the commands after it reach it. It is ended as by Ctrl-C, and must
 * exit with 0. A free port replaces that of the document.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Installation } from '../registry/installation.ts';
import { localCrates } from '../registry/local-crates.ts';
import {
  blockWith,
  type Document,
  isAssignment,
  type Rule,
  type Section,
  sectionsOf,
  uselessRules,
} from './blocks.ts';
import { Clone, freePort, type Running, userEnvironment } from './clone.ts';
import DATA from './rules.json' with { type: 'json' };

export const DOCUMENTS = DATA.documents as readonly Document[];
const EXAMPLE = 'http://127.0.0.1:3141';
const READY = /"event":"ready","url":"([^"]+)"/;
/** A command line or a server's program without a subcommand. */
const SERVER =
  /^(?:[A-Z_]+=\S+ )*(?:\.\/twin-ingest|npx twin-ingest|(?:target\/release\/)?ingest-server)(?: --(?!help\b)|$)/;
const FRAME = /(?:data|event|retry): ?/;

interface Options {
  /** Also runs what takes minutes, and builds everything. */
  readonly isNight: boolean;
  /** Gets a line for each command. */
  readonly say: (line: string) => void;
}

/** Returns the documents of the repository that have commands. */
export function documentsWithCommands(): string[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return files.split('\n').filter((path) => path !== '' && sectionsOf(textOf({ path })).length > 0);
}

function textOf({ path }: Pick<Document, 'path'>): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the commands that ran. */
export async function runDocuments(
  documents: readonly Document[],
  installation: Installation,
  options: Options,
): Promise<string[]> {
  const { isNight } = options;
  const clone = new Clone({ isBuilt: !isNight, limit_ms: isNight ? 3_600_000 : 120_000 });
  const nats = await natsProgram();
  assert.ok('path' in nats, JSON.stringify(nats));
  try {
    const ran: string[] = [];
    for (const document of documents) {
      const reader = new Reader(document, await freePorts(), options);
      const start = inClone(clone, [clone.programs, dirname(nats.path)]);
      const { of_packages = [], files = {} } = document;
      for (const [path, text] of Object.entries(files))
        clone.write(path, reader.filled(blockWith(textOf(document), text) ?? ''));
      for (const section of sectionsOf(textOf(document))) {
        const isOfPackages = of_packages === 'all' || of_packages.includes(section.title);
        await reader.follow(section, isOfPackages ? inHome(clone, installation) : start);
        assert.equal(clone.changed(), '', `after ${section.title} the clone is clean`);
      }
      await reader.end();
      ran.push(...reader.ran);
    }
    return ran;
  } finally {
    clone.remove();
  }
}

/** Returns what is wrong with the rules of a document. */
export function uselessRulesOf(document: Document): string[] {
  const sections = sectionsOf(textOf(document));
  const titles = document.of_packages === 'all' ? [] : (document.of_packages ?? []);
  const files = Object.values(document.files ?? {});
  const strangers = titles.filter((title) => !sections.some((section) => section.title === title));
  return [
    ...uselessRules(sections, document.rules),
    ...strangers.map((title) => `${document.path} has no section ${title} with commands`),
    ...files.flatMap((text) =>
      blockWith(textOf(document), text) === null ? [`${document.path} has not one block with ${text}`] : [],
    ),
  ];
}

type Start = (command: string, port: number) => Running;

function inClone(clone: Clone, programs: readonly string[]): Start {
  return (command, port) => clone.start(command, port, programs);
}

/** Packages are for users without a clone. The one for Rust users comes from crates on this disk. */
function inHome(clone: Clone, installation: Installation): Start {
  const home = installation.newHome('node24');
  let rust: NodeJS.ProcessEnv | undefined;
  return (command, port) => {
    const isForRust = /^(?:cargo|ingest-server) /.test(command);
    if (isForRust) rust ??= rustEnvironment(home.path);
    const own = isForRust ? rust : home.shellEnvironment();
    const env = { ...own, INGEST_PORT: String(port) };
    return clone.run(command, home.path, env);
  };
}

/** Returns the environment of a shell in which cargo, and what it installed, are commands. */
function rustEnvironment(home: string): NodeJS.ProcessEnv {
  const env = userEnvironment();
  const cargo = localCrates(home);
  return { ...env, HOME: home, CARGO_HOME: cargo, PATH: `${join(cargo, 'bin')}:${env.PATH}` };
}

/** Ports of a document: that of the server, and others for what runs next to it. */
async function freePorts(): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < 3) {
    const port = await freePort();
    if (!ports.includes(port)) ports.push(port);
  }
  return ports;
}

/** Follows a document with one shell, and further ones for what does not end. */
class Reader {
  readonly ran: string[] = [];
  readonly #document: Document;
  readonly #ports: readonly number[];
  readonly #url: string;
  readonly #options: Options;
  #server: { readonly command: string; readonly running: Running } | null = null;
  #beside: Running[] = [];
  /** Assignments of the section, which each command repeats. */
  #assignments = '';

  constructor(document: Document, ports: readonly number[], options: Options) {
    this.#document = document;
    this.#ports = ports;
    this.#url = `http://127.0.0.1:${ports[0]}`;
    this.#options = options;
  }

  async follow({ title, commands }: Section, start: Start): Promise<void> {
    this.#assignments = '';
    for (const command of commands) {
      const rule = this.#document.rules.find((one) => one.command === command);
      if (rule?.kind === 'exempt' || (rule?.kind === 'night' && !this.#options.isNight)) continue;
      const added = rule?.append === undefined ? '' : ` ${rule.append}`;
      for (const other of rule?.before ?? []) await this.#do(title, other, undefined, start);
      await this.#do(title, command + added, rule, start);
      for (const other of rule?.after ?? []) await this.#do(title, other, undefined, start);
      this.ran.push(command);
    }
  }

  /** Ends what still runs, the last one first. */
  async end(): Promise<void> {
    await this.#endServer();
    for (const running of this.#beside.toReversed()) await running.ctrlC();
  }

  async #endServer(): Promise<void> {
    if (this.#server === null) return;
    const { command, running } = this.#server;
    this.#server = null;
    const { code, output } = await running.ctrlC();
    // npm ends by the signal, after the server has ended.
    const isClean = code === 0 || (command.startsWith('npx ') && /"stopped"|Stopped\./.test(output));
    assert.ok(isClean, `${command} ended with ${code} after Ctrl-C\n${output}`);
  }

  /** Runs a command with the words of this reader. */
  async #do(title: string, command: string, rule: Rule | undefined, start: Start): Promise<void> {
    const text = this.filled(command);
    const from = performance.now();
    const label = `${this.#document.path}, ${title}: ${text}`;
    await this.#run(text, rule, label, () => start(this.#assignments + text, this.#ports[0]!));
    if (isAssignment(text)) this.#assignments += `${text}\n`;
    this.#options.say(`${((performance.now() - from) / 1000).toFixed(1)} s: ${text}`);
  }

  /** Returns a text of the document as this reader writes it. */
  filled(original: string): string {
    let text = original;
    for (const [from, to] of Object.entries(this.#document.texts ?? {})) text = text.replaceAll(from, to);
    return text
      .replaceAll(EXAMPLE, this.#url)
      .replaceAll('{url}', this.#url)
      .replaceAll(/\{port(\d)\}/g, (_, index: string) => String(this.#ports[Number(index)]));
  }

  async #run(command: string, rule: Rule | undefined, label: string, start: () => Running): Promise<void> {
    const isServer = SERVER.test(command) && rule?.kind !== 'run';
    const isBeside = rule?.kind === 'beside';
    // Both would use the same port.
    if (isServer && !isBeside) await this.#endServer();
    const running = start();
    if (isBeside) this.#beside.push(running);
    else if (isServer) this.#server = { command, running };
    const isStream = rule?.kind === 'stream';
    const first = isServer ? READY : isBeside ? /Server is ready/ : FRAME;
    const reached = isServer || isStream || isBeside ? await running.until(first) : null;
    if ((isServer || isBeside) && reached !== null) return;
    const { code, output } = isStream ? await running.ctrlC() : await running.ended;
    assert.ok(
      isStream ? reached !== null : !isServer && !isBeside && code === (rule?.exit ?? 0),
      `${label} ended with ${code}\n${output}`,
    );
  }
}
