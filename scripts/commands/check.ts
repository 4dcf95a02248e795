/**
 * Checks that a command exists, and that its program has each of its flags and words.
 *
 * The help of a program lists its flags. Invariant: nothing but `--help` of a program runs, and each only once.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import type { Command } from './extract.ts';

const run = promisify(execFile);

/** Returns the problem of a command; `null` if there is none. */
export type Check = (command: Command) => Promise<string | null>;

/** Returns the check of the commands of a checkout. */
export function checkIn(root: string): Check {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
  const helps = new Map<string, Promise<string>>();
  /** Returns what a program prints with `--help`. `args` are its file and the words before its flags. */
  const helpOf = (...args: string[]) => {
    const key = args.join(' ');
    const found =
      helps.get(key) ??
      run(process.execPath, [...args, '--help'], { cwd: root }).then(({ stdout }) => stdout);
    helps.set(key, found);
    return found;
  };
  /** What follows a `--` between flags is for the server that the program starts. */
  const byHelp = async (words: readonly string[], ...args: string[]) => {
    const [own, forServer = []] = splitAt(words[0] === '--' ? words.slice(1) : words, '--');
    return wrongWord(own!, await helpOf(...args)) ?? (forServer.length === 0 ? null : ofServer(forServer));
  };

  async function ofScript([name, ...words]: readonly string[]): Promise<string | null> {
    const script = scripts[name!];
    if (script === undefined) return `package.json has no script ${name}`;
    const [, program] = /^node ([^-]\S*)/.exec(script) ?? [];
    if (program === 'cli/src/main.ts') return await ofCommandLine(words);
    if (program !== undefined) return await byHelp(words, ...script.split(' ').slice(1));
    return words.length === 0 ? null : `the script ${name} takes no arguments`;
  }

  async function ofCommandLine(words: readonly string[]): Promise<string | null> {
    const main = 'cli/src/main.ts';
    const [name] = words;
    if (!existsSync(join(root, 'twin-ingest'))) return './twin-ingest is missing';
    if (name === undefined || name.startsWith('-')) return await byHelp(words, main);
    if (CONFIG.commands.some((command) => command.name === name)) return ofServer(words);
    const isKnown = new RegExp(`^ {2}${name}(?= |$)`, 'm').test(await helpOf(main));
    return isKnown ? await byHelp(words.slice(1), main, name) : `${name} is no command of ./twin-ingest`;
  }

  return async ({ program, words }) => {
    if (program === 'pnpm') return await ofScript(words);
    return program === 'twin-ingest' ? await ofCommandLine(words) : ofServer(words);
  };
}

function splitAt(words: readonly string[], word: string): (readonly string[])[] {
  const at = words.indexOf(word);
  return at < 0 ? [words] : [words.slice(0, at), words.slice(at + 1)];
}

/** Checks the command line of a server by the table that both servers read. */
function ofServer(words: readonly string[]): string | null {
  const [name] = words;
  const command = CONFIG.commands.find((one) => one.name === name);
  if (command === undefined && !name!.startsWith('--')) return `${name} is no command of a server`;
  const options = CONFIG.options.filter(({ name }) => command?.options.includes(name) ?? true);
  const lines = options.map(({ name, value }) => `  --${name}${value === undefined ? '' : ` ${value}`}  `);
  const others = CONFIG.flags.map(({ name }) => `  --${name}  `);
  // The operand of a command is a file.
  return wrongWord(command === undefined ? words : words.slice(1), [...lines, ...others].join('\n'), true);
}

/**
 * Returns the first flag that a help text does not list, or the first word that it does not name. Only words in lower
 * case are names; others are files, addresses, numbers or placeholders.
 */
function wrongWord(words: readonly string[], help: string, takesFiles = false): string | null {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, name, value] = /^--([\w-]+)(=.*)?$/.exec(word) ?? [];
    if (name !== undefined) {
      const [line, shown] =
        new RegExp(`^ +(?:-\\w, )?--${name}(?:[ =](\\S+))?(?=  |\\n|$)`, 'm').exec(help) ?? [];
      if (line === undefined && name !== 'help') return `there is no flag --${name}`;
      if (shown !== undefined && value === undefined) at++;
      if (shown === undefined && value !== undefined) return `--${name} takes no value`;
    } else if (
      /^[a-z][a-z-]*$/.test(word) &&
      !takesFiles &&
      !new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(help)
    )
      return `its help does not name ${word}`;
  }
  return null;
}
