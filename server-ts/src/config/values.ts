/**
 * Checks every value in the order of `config.json`, then rules that concern several values (rule PRO-03).
 *
 * Over 250 lines because it has a check for each kind of value, and for each file that a flag names.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { parseBudget } from '../budget.ts';
import { COMMON_SECRETS, CONFIG_SPEC, fill, LIMITS, type OptionSpec } from '../contract.ts';
import { Endpoint, isEndpointUrl, parseSecret } from '../endpoint.ts';
import type { Format } from '../formats/index.ts';
import { isPrintable } from '../log.ts';
import { isOpenToOthers } from '../platform.ts';
import { PriceProblem, type Prices, parsePrices } from '../prices.ts';
import { Redaction } from '../redact/index.ts';
import { CLASS_NAMES, parseRedaction } from '../redact/rules.ts';
import { type Given, isText, quoted } from './arguments.ts';
import { parseReceiver, type Receiver } from './receiver.ts';
import type { Config } from './settings.ts';
import { isStreamName, NAME_CHARACTERS, parseNats } from './stream-source.ts';
import type { readTextFile, TextFile } from './text-file.ts';

const { messages } = CONFIG_SPEC;
const LOCALHOST = '127.0.0.1';
/** The value of `--store` with a stream. */
const CLUSTER = 'jetstream';
/** Options that a stream needs, and that have no effect without one. */
const CLUSTER_OPTIONS = ['nats', 'stream'];
/** Options that change a database by itself. */
const LOCAL_OPTIONS = ['forward'];

/** Reads a file of UTF-8 text. */
export type ReadFile = typeof readTextFile;

/** Checks every value in the order of `config.json`, then rules that concern several values. */
export class Values {
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
    let token: Pick<Config, 'token' | 'newToken'> = { token: undefined, newToken: undefined };
    let prices: Prices | undefined;
    let redaction: Redaction | undefined;
    let webhookUrl: string | undefined;
    let webhookSecret: Buffer | undefined;
    let budgetCents: number | undefined;
    let forward: Receiver | undefined;
    let forwardToken: string | undefined;
    let nats: string | undefined;
    let natsToken: string | undefined;
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
        case 'switch':
          values.set(option.name, this.text(option, first));
          break;
      }
      if (option.name === 'host') values.set('host', this.host(values.get('host') as string, first));
      if (option.name === 'token-file' && first !== undefined) token = this.token(first);
      if (option.name === 'forward' && first !== undefined) forward = this.receiver(first);
      if (option.name === 'forward-token-file' && first !== undefined) {
        forwardToken = this.token(first).token;
      }
      if (option.name === 'nats' && first !== undefined) nats = this.nats(first);
      if (option.name === 'nats-token-file' && first !== undefined) natsToken = this.token(first).token;
      if (option.name === 'stream' && first !== undefined) this.stream(first);
      if (option.name === 'prices' && first !== undefined) prices = this.prices(first);
      if (option.name === 'redact' && first !== undefined) redaction = this.redaction(option, first);
      if (option.name === 'webhook' && first !== undefined) webhookUrl = this.webhookUrl(first);
      if (option.name === 'webhook-secret-file' && first !== undefined) {
        webhookSecret = this.webhookSecret(first);
      }
      if (option.name === 'command-name' && first !== undefined) this.commandName(first);
      if (option.name === 'budget-usd-day' && first !== undefined) budgetCents = this.budget(first);
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
      waitingStaleHours: value('waiting-stale-hours'),
      maxStreamClients: value('max-stream-clients'),
      heartbeatMs: value('heartbeat-ms'),
      statsIntervalMs: value('stats-interval-ms'),
      ...token,
      allowHosts: value('allow-host'),
      allowOrigins: value('allow-origin'),
      socket: value<string | null>('socket') ?? undefined,
      stdin: value<Format | null>('stdin') ?? undefined,
      maxAttachmentBytes: value('max-attachment-bytes'),
      attachmentsBytes: value('attachments-bytes'),
      retainDays: value('retain-days'),
      retainBytes: value('retain-bytes'),
      keepHookPayloads: value('keep-hook-payloads') === 'true',
      prices,
      redaction,
      webhook:
        webhookUrl === undefined || webhookSecret === undefined
          ? undefined
          : new Endpoint(webhookUrl, webhookSecret),
      webhookFinishMinutes: value('webhook-finish-minutes'),
      budgetCents,
      forward,
      forwardToken,
      cluster:
        nats === undefined || value('store') !== CLUSTER
          ? undefined
          : {
              url: `nats://${nats}`,
              host: nats,
              token: natsToken,
              name: value<string | null>('stream') ?? '',
              replicas: value('nats-replicas'),
            },
      bench: value('bench') === 'true',
      exitWithStdin: value('exit-with-stdin') === 'true',
      parentPid: value('parent-pid'),
      idleExitS: value('idle-exit'),
      readyFile: value<string | null>('ready-file') ?? undefined,
      commandName: value('command-name'),
      logLevel: value('log-level'),
    };
  }

  private problem(
    message: string,
    given: Given,
    values: Readonly<Record<string, string | number>> = {},
  ): void {
    this.problems.push(fill(message, { source: given.source, value: quoted(given.text), ...values }));
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
    if (!isText(given.text)) this.problem(messages.text, given);
    else if (option.choices !== undefined && !option.choices.includes(given.text)) {
      this.problem(messages.choice, given, { choices: option.choices.join(', ') });
    }
    return given.text;
  }

  private host(text: string, given: Given | undefined): string {
    if (text === 'localhost') return LOCALHOST;
    // The shortest form (RFC 5952), by which `isLoopback` knows the address.
    if (isIPv6(text) && !text.includes('%')) return new URL(`http://[${text}]`).hostname.slice(1, -1);
    if (isIPv4(text)) return text;
    if (given !== undefined && given.text !== '') this.problem(messages.host, given);
    return LOCALHOST;
  }

  private list(option: OptionSpec): string[] {
    const items: string[] = [];
    for (const given of this.given.get(option.name) ?? []) {
      const message = listItemProblem(option.name, given.text);
      if (message !== undefined) this.problem(message, given);
      else items.push(given.text.toLowerCase());
    }
    return items;
  }

  /** Returns the token, or the file that must be created for a new one (rule SEC-08). */
  private token(given: Given): Pick<Config, 'token' | 'newToken'> {
    const none = { token: undefined, newToken: undefined };
    const file = this.readFile(given.text);
    if (file === 'file_missing' && this.isNewToken(given)) return { ...none, newToken: given.text };
    const text = this.privateText(given, file);
    if (text === undefined) return none;
    const token = trimmed(text);
    if (token.length >= LIMITS.token_characters && /^[\x21-\x7e]+$/.test(token)) return { ...none, token };
    this.problem(messages.token_short, given, { minimum: LIMITS.token_characters });
    return none;
  }

  /** Returns the content of a file, or reports why it has none. */
  private textFile(given: Given, file: ReturnType<ReadFile>): TextFile | undefined {
    if (typeof file !== 'string') return file;
    // An empty file name was already reported as a problem.
    if (given.text !== '') this.problem(messages[file], given);
    return undefined;
  }

  /** Returns the text of a file that must not be open to other users. */
  private privateText(given: Given, read: ReturnType<ReadFile>): string | undefined {
    const file = this.textFile(given, read);
    if (file === undefined || !isOpenToOthers(file.mode)) return file?.text;
    this.problem(messages.file_open, given);
    return undefined;
  }

  /** Returns whether a value is the file of `--new-token`. */
  private isNewToken(file: Given): boolean {
    return this.isOn('new-token') && this.given.get('token-file')?.[0]?.source === file.source;
  }

  /** Returns the receiver of forwarded events. */
  private receiver(given: Given): Receiver | undefined {
    const receiver = parseReceiver(given.text);
    // An empty value was already reported as a problem.
    if (receiver === undefined && given.text !== '') this.problem(messages.forward, given);
    return receiver;
  }

  /** Returns host and port of the server of NATS. */
  private nats(given: Given): string | undefined {
    const host = parseNats(given.text);
    // An empty value was already reported as a problem.
    if (host === undefined && given.text.includes('@')) this.problem(messages.nats_secret, given);
    else if (host === undefined && given.text !== '') this.problem(messages.nats, given);
    return host;
  }

  private stream(given: Given): void {
    // An empty value was already reported as a problem.
    if (given.text === '' || isStreamName(given.text)) return;
    this.problem(messages.stream, given, { maximum: NAME_CHARACTERS });
  }

  /** Returns whether a switch is given as true. */
  private isOn(name: string): boolean {
    return this.given.get(name)?.[0]?.text === 'true';
  }

  private prices(given: Given): Prices | undefined {
    const file = this.textFile(given, this.readFile(given.text));
    if (file === undefined) return undefined;
    try {
      return parsePrices(file.text);
    } catch (problem) {
      if (!(problem instanceof PriceProblem)) throw problem;
      const path = JSON.stringify(problem.path);
      this.problem(messages[problem.fault], given, { path, maximum: LIMITS.max_cost_usd });
      return undefined;
    }
  }

  private redaction(option: OptionSpec, given: Given): Redaction | undefined {
    const text =
      given.text === option.builtin ? COMMON_SECRETS : this.textFile(given, this.readFile(given.text))?.text;
    if (text === undefined) return undefined;
    const rules = parseRedaction(text);
    if (!('problems' in rules)) return new Redaction(rules);
    for (const { fault, path } of rules.problems) {
      this.problem(messages[fault], given, {
        path: JSON.stringify(path),
        entries: LIMITS.redaction_entries,
        key_bytes: LIMITS.redaction_key_bytes,
        prefix_bytes: LIMITS.redaction_prefix_bytes,
        minimum: LIMITS.redaction_minimum,
        least: LIMITS.redaction_least_bytes,
        classes: CLASS_NAMES.join(', '),
      });
    }
    return undefined;
  }

  private webhookUrl(given: Given): string | undefined {
    // An empty URL was already reported as a problem. The URL may hold a secret, so the message does not.
    if (given.text === '' || isEndpointUrl(given.text)) return given.text;
    this.problem(messages.webhook_url, given, { maximum: LIMITS.webhook_url_bytes });
    return undefined;
  }

  private webhookSecret(given: Given): Buffer | undefined {
    const text = this.privateText(given, this.readFile(given.text));
    if (text === undefined) return undefined;
    const secret = parseSecret(trimmed(text));
    if (secret === undefined) {
      const { webhook_secret_bytes: minimum, webhook_secret_most_bytes: maximum } = LIMITS;
      this.problem(messages.webhook_secret, given, { minimum, maximum });
    }
    return secret;
  }

  private commandName(given: Given): void {
    // An empty name was already reported as a problem.
    const { command_name_bytes: maximum } = LIMITS;
    if (Buffer.byteLength(given.text) > maximum || !isPrintable(given.text)) {
      this.problem(messages.command_name, given, { maximum });
    }
  }

  private budget(given: Given): number | undefined {
    const cents = parseBudget(given.text);
    // An empty amount was already reported as a problem.
    if (cents === undefined && given.text !== '') {
      this.problem(messages.budget, given, { maximum: LIMITS.max_cost_usd });
    }
    return cents;
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
    for (const { name, excludes } of CONFIG_SPEC.options) {
      if (excludes === undefined || !this.given.has(name) || values.get(excludes) !== 'true') continue;
      this.problem(messages.exclusive, { source: this.source(name), text: '' }, { other: `--${excludes}` });
    }
    for (const { name, type, needs } of CONFIG_SPEC.options) {
      const isUsed = type === 'switch' ? this.isOn(name) : this.given.has(name);
      if (needs === undefined || !isUsed || this.given.has(needs)) continue;
      this.problem(messages.needs, { source: this.source(name), text: '' }, { other: `--${needs}` });
    }
    this.clusterRelations(values);
  }

  /** Checks what `--store jetstream` needs and excludes (rule CLU-01). */
  private clusterRelations(values: ReadonlyMap<string, unknown>): void {
    const isCluster = values.get('store') === CLUSTER;
    for (const name of CLUSTER_OPTIONS) {
      const isGiven = this.given.has(name);
      if (isCluster === isGiven) continue;
      const [source, other] = isCluster ? ['store', `--${name}`] : [name, `--store ${CLUSTER}`];
      this.problem(messages.needs, { source: this.source(source), text: '' }, { other });
    }
    for (const name of LOCAL_OPTIONS) {
      if (!isCluster || !this.given.has(name)) continue;
      const other = `--store ${CLUSTER}`;
      this.problem(messages.exclusive, { source: this.source(name), text: '' }, { other });
    }
  }

  /** Returns the source of a value; its flag for a default. */
  private source(name: string): string {
    return this.given.get(name)?.[0]?.source ?? `--${name}`;
  }
}

/** Returns the message for a wrong item of a list. */
function listItemProblem(name: string, text: string): string | undefined {
  if (text === '') return messages.empty;
  if (name === 'allow-host') return isHostName(text) ? undefined : messages.allow_host;
  if (text.includes('*')) return messages.allow_origin_wildcard;
  if (isFileOrigin(text)) return messages.allow_origin_file;
  return isOrigin(text) ? undefined : messages.allow_origin;
}

/** Removes white space at both ends of a file's text. */
function trimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/**
 * Returns whether a text has only letters, digits, dots, hyphens and underscores, or is an IPv6 address in brackets.
 */
export function isHostName(text: string): boolean {
  return /^(\[[0-9A-Fa-f:.]*\]|[0-9A-Za-z._-]+)$/.test(text);
}

/**
 * Returns whether a text is the origin of a page from a file. Browsers send `null` for it, and also for sandboxed pages
 * of any site.
 */
function isFileOrigin(text: string): boolean {
  return /^(null$|file:)/i.test(text);
}

/** Returns whether a text is a scheme, `://`, and an authority without path (RFC 6454, section 6.2). */
function isOrigin(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[!-~]+$/.test(text) && !/[/?#]/.test(text.slice(text.indexOf('://') + 3))
  );
}
