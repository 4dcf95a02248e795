/**
 * Flags and environment variables to a checked configuration, or to every problem at once (rules PRO-02 to PRO-04).
 *
 * Names, bounds, help and messages are those of `contract/config.json`. Nothing falls back to a default
 * because it was wrong. Pure but for the token's file, which the caller reads.
 */
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { CONFIG_SPEC, CONTRACT_VERSION, fill, type OptionSpec, SERVER_VERSION } from './contract.ts';
import type { LogLevel } from './log.ts';
import type { Durability } from './store/connection.ts';

/** The checked configuration; units stand in the names. */
export interface Config {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
  readonly db: string;
  readonly durability: Durability;
  readonly maxBodyBytes: number;
  readonly maxBatchEvents: number;
  readonly maxMetadataBytes: number;
  readonly queueEvents: number;
  readonly queueBytes: number;
  readonly sessionTimeoutMinutes: number;
  readonly maxStreamClients: number;
  readonly heartbeatMs: number;
  readonly statsIntervalMs: number;
  /** The text of `--token-file`. */
  readonly token: string | undefined;
  /** Lower case, as `allowOrigins`. */
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly logLevel: LogLevel;
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: Config }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads the token's file; nothing where it cannot be read. */
export type ReadFile = (path: string) => string | undefined;

/** Where a value was given, and its text. */
interface Given {
  readonly source: string;
  readonly text: string;
}

const { messages } = CONFIG_SPEC;
const MIN_TOKEN_LENGTH = 16;
const LOCALHOST = '127.0.0.1';

/** Reads arguments (without the program's name) and environment. */
export function parseConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): Command {
  const problems: string[] = [];
  const given = new Map<string, Given[]>();
  const text = readArguments(args, given, problems);
  if (text !== undefined) return { kind: 'print', text };
  readEnvironment(env, given, problems);
  const config = new Values(given, problems, readFile).config();
  return problems.length === 0 ? { kind: 'run', config } : { kind: 'problems', problems };
}

/** `--help`, made of the contract. */
export function helpText(): string {
  const rows = CONFIG_SPEC.options.map((option): [left: string, right: string] => {
    const notes = [`[env: ${option.env}]`];
    if (typeof option.default === 'string' || typeof option.default === 'number') {
      notes.push(`[default: ${option.default}]`);
    }
    if (option.choices !== undefined) notes.push(`[choices: ${option.choices.join(', ')}]`);
    if (option.minimum !== undefined) notes.push(`[range: ${option.minimum} - ${option.maximum}]`);
    return [`--${option.name} ${option.value}`, `${option.help} ${notes.join(' ')}`];
  });
  for (const flag of CONFIG_SPEC.flags) rows.push([`-${flag.short}, --${flag.name}`, flag.help]);
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`);
  return `${CONFIG_SPEC.usage}\n\n${CONFIG_SPEC.headline}\n\nOptions:\n${lines.join('')}`;
}

/** `--version` (rule PRO-04). */
export function versionText(): string {
  return `ingest-server ${SERVER_VERSION} (contract ${CONTRACT_VERSION})\n`;
}

/** Takes the command line in; the text to print when it asks for help or the version. */
function readArguments(
  args: readonly string[],
  given: Map<string, Given[]>,
  problems: string[],
): string | undefined {
  // A runner of scripts passes its own `--` on; it means nothing here.
  const words = args.filter((word) => word !== '--');
  const { tokens } = parseArgs({ args: words, strict: false, allowPositionals: true, tokens: true });
  const prints = new Set<string>();
  let next = 0;
  for (const token of tokens) {
    // The word was a flag's value, or the rest of a word of short flags.
    if (token.index < next) continue;
    next = token.index + 1;
    if (token.kind === 'positional') {
      problems.push(fill(messages.unexpected_argument, { argument: JSON.stringify(token.value) }));
      continue;
    }
    if (token.kind !== 'option') continue;
    const option = CONFIG_SPEC.options.find(({ name }) => `--${name}` === token.rawName);
    if (option !== undefined) {
      const following = words[next];
      const value = token.value ?? (following?.startsWith('--') ? undefined : following);
      if (token.value === undefined && value !== undefined) next++;
      takeValue(option, value, given, problems);
      continue;
    }
    const flag = CONFIG_SPEC.flags.find(
      ({ name, short }) => token.rawName === `--${name}` || token.rawName === `-${short}`,
    );
    const hasValue = token.value !== undefined || words[token.index] !== token.rawName;
    if (flag === undefined) problems.push(fill(messages.unknown_flag, { flag: token.rawName }));
    else if (hasValue) problems.push(fill(messages.takes_no_value, { flag: token.rawName }));
    else prints.add(flag.name);
  }
  if (prints.has('help')) return helpText();
  return prints.has('version') ? versionText() : undefined;
}

function takeValue(
  option: OptionSpec,
  value: string | undefined,
  given: Map<string, Given[]>,
  problems: string[],
): void {
  const flag = `--${option.name}`;
  if (value === undefined) {
    problems.push(fill(messages.missing_value, { flag }));
    return;
  }
  const before = given.get(option.name) ?? [];
  if (before.length > 0 && option.type !== 'list') {
    problems.push(fill(messages.twice, { flag }));
    return;
  }
  given.set(option.name, [...before, { source: flag, text: value }]);
}

function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  given: Map<string, Given[]>,
  problems: string[],
): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(CONFIG_SPEC.env_prefix)) continue;
    const option = CONFIG_SPEC.options.find((known) => known.env === name);
    if (option === undefined) {
      problems.push(fill(messages.unknown_env, { env: name }));
      continue;
    }
    const value = env[name] ?? '';
    if (value === '' || given.has(option.name)) continue;
    const texts = option.type === 'list' ? value.split(',').map(trimBlanks) : [value];
    given.set(
      option.name,
      texts.map((text) => ({ source: name, text })),
    );
  }
}

/** Checks every value in the order of `config.json`, then what concerns several. */
class Values {
  private readonly given: ReadonlyMap<string, readonly Given[]>;
  private readonly problems: string[];
  private readonly readFile: ReadFile;

  constructor(given: ReadonlyMap<string, readonly Given[]>, problems: string[], readFile: ReadFile) {
    this.given = given;
    this.problems = problems;
    this.readFile = readFile;
  }

  config(): Config {
    const values = new Map<string, unknown>();
    let token: string | undefined;
    for (const option of CONFIG_SPEC.options) {
      const first = this.given.get(option.name)?.[0];
      switch (option.type) {
        case 'integer':
          values.set(option.name, this.integer(option, first));
          break;
        case 'list':
          values.set(option.name, this.list(option));
          break;
        case 'text':
        case 'choice':
          values.set(option.name, this.text(option, first));
          break;
      }
      if (option.name === 'host') values.set('host', this.host(values.get('host') as string, first));
      if (option.name === 'token-file' && first !== undefined) token = this.token(first);
    }
    this.relations(values);
    const value = <T>(name: string): T => values.get(name) as T;
    return {
      host: value('host'),
      port: value('port'),
      db: value('db'),
      durability: value('durability'),
      maxBodyBytes: value('max-body-bytes'),
      maxBatchEvents: value('max-batch-events'),
      maxMetadataBytes: value('max-metadata-bytes'),
      queueEvents: value('queue-events'),
      queueBytes: value('queue-bytes'),
      sessionTimeoutMinutes: value('session-timeout-minutes'),
      maxStreamClients: value('max-stream-clients'),
      heartbeatMs: value('heartbeat-ms'),
      statsIntervalMs: value('stats-interval-ms'),
      token,
      allowHosts: value('allow-host'),
      allowOrigins: value('allow-origin'),
      logLevel: value('log-level'),
    };
  }

  private problem(
    message: string,
    given: Given,
    values: Readonly<Record<string, string | number>> = {},
  ): void {
    this.problems.push(fill(message, { source: given.source, value: JSON.stringify(given.text), ...values }));
  }

  private integer(option: OptionSpec, given: Given | undefined): number {
    if (given === undefined) return option.default as number;
    const value = /^[0-9]{1,16}$/.test(given.text) ? Number(given.text) : Number.NaN;
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = option;
    if (value >= minimum && value <= maximum) return value;
    this.problem(messages.integer, given, { minimum, maximum });
    return option.default as number;
  }

  private text(option: OptionSpec, given: Given | undefined): string | null {
    if (given === undefined) return option.default as string | null;
    if (given.text === '') {
      this.problem(messages.empty, given);
      return option.default as string | null;
    }
    // How Node shows bytes that are no UTF-8.
    if (given.text.includes('\uFFFD')) this.problem(messages.text, given);
    else if (option.choices !== undefined && !option.choices.includes(given.text)) {
      this.problem(messages.choice, given, { choices: option.choices.join(', ') });
    }
    return given.text;
  }

  private host(text: string, given: Given | undefined): string {
    if (text === 'localhost') return LOCALHOST;
    if (isIP(text) !== 0 && !text.includes('%')) return text;
    if (given !== undefined && given.text !== '') this.problem(messages.host, given);
    return LOCALHOST;
  }

  private list(option: OptionSpec): string[] {
    const items: string[] = [];
    for (const given of this.given.get(option.name) ?? []) {
      const isHost = option.name === 'allow-host';
      if (given.text === '') this.problem(messages.empty, given);
      else if (!(isHost ? isHostName(given.text) : isOrigin(given.text))) {
        this.problem(isHost ? messages.allow_host : messages.allow_origin, given);
      } else items.push(given.text.toLowerCase());
    }
    return items;
  }

  private token(given: Given): string | undefined {
    const text = this.readFile(given.text);
    if (text === undefined) {
      this.problem(messages.token_unreadable, given);
      return undefined;
    }
    const token = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
    if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token;
    this.problem(messages.token_short, given);
    return undefined;
  }

  private relations(values: ReadonlyMap<string, unknown>): void {
    for (const option of CONFIG_SPEC.options) {
      if (option.at_least === undefined) continue;
      const value = values.get(option.name) as number;
      const minimum = values.get(option.at_least) as number;
      if (value >= minimum) continue;
      const given = { source: this.source(option.name), text: String(value) };
      this.problem(messages.at_least, given, { other: `--${option.at_least}`, minimum });
    }
    const host = values.get('host') as string;
    if (!isLoopback(host) && !this.given.has('token-file')) {
      this.problem(messages.token_required, { source: this.source('host'), text: host });
    }
  }

  /** Where a value came from; its flag when it is the default. */
  private source(name: string): string {
    return this.given.get(name)?.[0]?.source ?? `--${name}`;
  }
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Letters, digits, dots, hyphens and underscores, or an IPv6 address in brackets. */
function isHostName(text: string): boolean {
  return /^(\[[0-9A-Fa-f:.]*\]|[0-9A-Za-z._-]+)$/.test(text);
}

/** A scheme, `://`, and an authority without path (RFC 6454, section 6.2). */
function isOrigin(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[!-~]+$/.test(text) && !/[/?#]/.test(text.slice(text.indexOf('://') + 3))
  );
}
