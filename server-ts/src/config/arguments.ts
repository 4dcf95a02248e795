/**
 * Reads the command line and the environment as text; does not check the values (rules PRO-02 and PRO-03).
 *
 * Node turns bytes that are not UTF-8 into U+FFFD. The check of a value refuses this character (rule PRO-20).
 * Flags are parsed as tokens, so that every problem is reported from left to right (rule PRO-03).
 */
import { parseArgs } from 'node:util';
import {
  COMMANDS,
  type CommandSpec,
  ENV_PREFIX,
  FLAGS,
  type FlagName,
  type FlagSpec,
  MESSAGES,
  PRINTS,
} from '../contract/flags.ts';
import { fill } from '../contract.ts';
import { helpText, versionText } from './spec.ts';

/** A value's text and its source. */
export interface Given {
  readonly source: string;
  readonly text: string;
}

/** The values of flags by their names, each flag's in order. */
export type GivenValues = Map<FlagName, readonly Given[]>;

const SPECS: readonly FlagSpec[] = Object.values(FLAGS);

/** What a command line asks for besides its options. */
interface Asked {
  /** Text to print, when it asks for help or the version. */
  readonly text?: string | undefined;
  readonly command?: CommandSpec | undefined;
  /** The argument of the command. */
  readonly file?: string | undefined;
}

/** Reads the command line. */
export function readArguments(args: readonly string[], given: GivenValues, problems: string[]): Asked {
  // Package managers pass their own `--` on; it has no meaning here.
  const words = args.filter((word) => word !== '--');
  const { tokens } = parseArgs({ args: words, strict: false, allowPositionals: true, tokens: true });
  const prints = new Set<string>();
  let next = 0;
  let command: CommandSpec | undefined;
  let file: string | undefined;
  for (const token of tokens) {
    // The word was a flag's value, or the rest of a group of short flags.
    if (token.index < next) continue;
    next = token.index + 1;
    if (token.kind === 'positional') {
      const known = COMMANDS.find(({ name }) => name === token.value);
      if (command === undefined && known !== undefined) {
        command = known;
        continue;
      }
      if (typeof command?.operand === 'string' && file === undefined && token.value !== '') {
        file = token.value;
        if (!isText(file)) problems.push(fill(MESSAGES.text, { source: command.operand }));
        continue;
      }
      problems.push(fill(MESSAGES.unexpected_argument, { argument: quoted(token.value) }));
      continue;
    }
    if (token.kind !== 'option') continue;
    const option = SPECS.find(({ name }) => `--${name}` === token.rawName);
    if (option?.type === 'switch') {
      if (token.value === undefined) takeValue(option, 'true', given, problems);
      else problems.push(fill(MESSAGES.takes_no_value, { flag: token.rawName }));
      continue;
    }
    if (option !== undefined) {
      const following = words[next];
      const value = token.value ?? (following?.startsWith('--') ? undefined : following);
      if (token.value === undefined && value !== undefined) next++;
      takeValue(option, value, given, problems);
      continue;
    }
    const flag = PRINTS.find(
      ({ name, short }) => token.rawName === `--${name}` || token.rawName === `-${short}`,
    );
    const hasValue = token.value !== undefined || words[token.index] !== token.rawName;
    if (flag === undefined) problems.push(fill(MESSAGES.unknown_flag, { flag: token.rawName }));
    else if (hasValue) problems.push(fill(MESSAGES.takes_no_value, { flag: token.rawName }));
    else prints.add(flag.name);
  }
  if (prints.has('help')) return { text: helpText() };
  return prints.has('version') ? { text: versionText() } : { command, file };
}

/** Checks that a command has its argument, and no flag that has no effect on it (rule PRO-15). */
export function checkCommand(
  command: CommandSpec | undefined,
  file: string | undefined,
  given: Readonly<GivenValues>,
  problems: string[],
): void {
  if (command === undefined) return;
  const { name, operand, options } = command;
  if (operand !== null && file === undefined) {
    problems.push(fill(MESSAGES.missing_operand, { command: name, operand }));
  }
  for (const option of SPECS) {
    const source = `--${option.name}`;
    const isGiven = given.get(option.name)?.some((one) => one.source === source) ?? false;
    if (isGiven && !options.includes(option.name)) {
      problems.push(fill(MESSAGES.not_of_command, { source, command: name }));
    }
  }
}

function takeValue(
  option: FlagSpec,
  value: string | undefined,
  given: GivenValues,
  problems: string[],
): void {
  const flag = `--${option.name}`;
  if (value === undefined) {
    problems.push(fill(MESSAGES.missing_value, { flag }));
    return;
  }
  const before = given.get(option.name) ?? [];
  if (before.length > 0 && option.type !== 'list') {
    problems.push(fill(MESSAGES.twice, { flag }));
    return;
  }
  given.set(option.name, [...before, { source: flag, text: value }]);
}

/**
 * Reads the server's environment variables; a flag takes precedence over its variable. Those of flags that a command does
 * not take have no effect (rule PRO-15).
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  command: CommandSpec | undefined,
  given: GivenValues,
  problems: string[],
): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(ENV_PREFIX)) continue;
    const option = SPECS.find((known) => known.env === name);
    if (option === undefined) {
      problems.push(fill(MESSAGES.unknown_env, { env: name }));
      continue;
    }
    const value = env[name] ?? '';
    const isUnused = command !== undefined && !command.options.includes(option.name);
    if (isUnused || value === '' || given.has(option.name)) continue;
    const texts = option.type === 'list' ? value.split(',').map(trimBlanks) : [value];
    given.set(
      option.name,
      texts.map((text) => ({ source: name, text })),
    );
  }
}

/** Stands for a secret. */
const HIDDEN = '***';

/** Returns a text as a JSON string, for MESSAGES. A user, a password and a query of a URL are not shown. */
export function quoted(text: string): string {
  return JSON.stringify(withoutSecrets(text));
}

/** Replaces what may be a secret in a URL, also in one that is wrong or lacks its scheme. */
function withoutSecrets(text: string): string {
  const start = text.indexOf('://');
  if (start < 0 && !(text.includes(':') && text.includes('@'))) return text;
  const [scheme, rest] = start < 0 ? ['', text] : [text.slice(0, start + 3), text.slice(start + 3)];
  // A password with a slash or an at sign belongs to a wrong URL, which is shown too.
  const at = rest.lastIndexOf('@');
  const [user, host] = at < 0 ? ['', rest] : [HIDDEN, rest.slice(at)];
  const end = host.search(/[?#]/);
  const shown = end < 0 ? host : host.slice(0, end + 1);
  return `${scheme}${user}${shown}${shown.length < host.length ? HIDDEN : ''}`;
}

/** Returns whether every byte of a text was UTF-8. */
export function isText(text: string): boolean {
  return !text.includes('\uFFFD');
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}
