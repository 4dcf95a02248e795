/**
 * Runs the README from top to bottom: each command in a fresh clone, and those of the packages in an empty home folder.
 *
 * A server runs until the next one starts, so that the commands after it reach it. It is ended as by Ctrl-C, and must
 * exit with 0. A free port replaces that of the README.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Installation } from '../registry/installation.ts';
import { localCrates } from '../registry/local-crates.ts';
import { type Rule, type Section, sectionsOf, uselessRules } from './blocks.ts';
import { Clone, freePort, type Running, userEnvironment } from './clone.ts';
import DATA from './rules.json' with { type: 'json' };

const SECTIONS = sectionsOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));
const RULES = DATA.rules as readonly Rule[];
const EXAMPLE = 'http://127.0.0.1:3141';
const READY = /"event":"ready","url":"([^"]+)"/;
/** A command line or a server's program without a subcommand. */
const SERVER = /^(?:\.\/twin-ingest|npx twin-ingest|target\/release\/ingest-server)(?: --|$)/;
const FRAME = /(?:data|event|retry): ?/;

interface Options {
  /** Also runs what takes minutes, and builds everything. */
  readonly isNight: boolean;
  /** Gets a line for each command. */
  readonly say: (line: string) => void;
}

/** Returns the commands that ran. */
export async function runReadme(installation: Installation, options: Options): Promise<string[]> {
  assert.deepEqual(uselessRules(SECTIONS, RULES), []);
  assert.ok(SECTIONS.some(({ title }) => title === DATA.section_of_packages));
  const { isNight } = options;
  const clone = new Clone({ isBuilt: !isNight, limit_ms: isNight ? 3_600_000 : 120_000 });
  try {
    const reader = new Reader(await freePort(), options);
    for (const section of SECTIONS) {
      const isOfPackages = section.title === DATA.section_of_packages;
      await reader.follow(section, isOfPackages ? inHome(clone, installation) : inClone(clone));
      assert.equal(clone.changed(), '', `after ${section.title} the clone is clean`);
    }
    await reader.endServer();
    return reader.ran;
  } finally {
    clone.remove();
  }
}

type Start = (command: string, port: number) => Running;

function inClone(clone: Clone): Start {
  return (command, port) => clone.start(command, port);
}

/** Packages are for users without a clone. The one for Rust users comes from crates on this disk. */
function inHome(clone: Clone, installation: Installation): Start {
  const home = installation.newHome('node24');
  return (command, port) => {
    const isForRust = command.startsWith('cargo ');
    const own = isForRust
      ? { ...userEnvironment(), HOME: home.path, CARGO_HOME: localCrates(home.path) }
      : home.shellEnvironment();
    const env = { ...own, INGEST_PORT: String(port) };
    return clone.run(command, home.path, env);
  };
}

/** Follows the README with one shell, and a second one for the server. */
class Reader {
  readonly ran: string[] = [];
  readonly #port: number;
  readonly #url: string;
  readonly #options: Options;
  #server: { readonly command: string; readonly running: Running } | null = null;

  constructor(port: number, options: Options) {
    this.#port = port;
    this.#url = `http://127.0.0.1:${port}`;
    this.#options = options;
  }

  async follow({ title, commands }: Section, start: Start): Promise<void> {
    for (const command of commands) {
      const rule = RULES.find((one) => one.command === command);
      if (rule?.kind === 'exempt' || (rule?.kind === 'night' && !this.#options.isNight)) continue;
      const added = rule?.append === undefined ? '' : ` ${rule.append.replace('{url}', this.#url)}`;
      const text = command.replaceAll(EXAMPLE, this.#url) + added;
      const from = performance.now();
      await this.#run(command, rule, `${title}: ${text}`, () => start(text, this.#port));
      this.#options.say(`${((performance.now() - from) / 1000).toFixed(1)} s: ${text}`);
      this.ran.push(command);
    }
  }

  async endServer(): Promise<void> {
    if (this.#server === null) return;
    const { command, running } = this.#server;
    this.#server = null;
    const { code, output } = await running.ctrlC();
    // npm ends by the signal, after the server has ended.
    const isClean = code === 0 || (command.startsWith('npx ') && /"stopped"|Stopped\./.test(output));
    assert.ok(isClean, `${command} ended with ${code} after Ctrl-C\n${output}`);
  }

  async #run(command: string, rule: Rule | undefined, label: string, start: () => Running): Promise<void> {
    const isServer = SERVER.test(command);
    // Both would use the same port.
    if (isServer) await this.endServer();
    const running = start();
    if (isServer) this.#server = { command, running };
    const isStream = rule?.kind === 'stream';
    const reached = isServer || isStream ? await running.until(isServer ? READY : FRAME) : null;
    if (isServer && reached !== null) return;
    const { code, output } = isStream ? await running.ctrlC() : await running.ended;
    assert.ok(
      isStream ? reached !== null : !isServer && code === (rule?.exit ?? 0),
      `${label} ended with ${code}\n${output}`,
    );
  }
}
