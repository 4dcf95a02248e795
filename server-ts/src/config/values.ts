/**
 * Checks every value in the order of `config.json`, then rules that concern several values (rule PRO-03).
 *
 * Each flag is read once, as the type that `FLAGS` gives it. Over 250 lines because it has a check for each kind of
 * value, and for each file that a flag names.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { parseBudget } from '../budget.ts';
import { FLAGS, type FlagName, type FlagSpec, MESSAGES, type Store } from '../contract/flags.ts';
import { COMMON_SECRETS, fill, LIMITS } from '../contract.ts';
import { Endpoint, isEndpointUrl, parseSecret } from '../endpoint.ts';
import { faultLine } from '../json-fault.ts';
import { isPrintable } from '../log.ts';
import { isOpenToOthers } from '../platform.ts';
import { builtInPrices, type PriceList, PriceProblem, parsePrices } from '../prices.ts';
import { Redaction } from '../redact/index.ts';
import { CLASS_NAMES, parseRedaction } from '../redact/rules.ts';
import { findZone } from '../zones.ts';
import { type Given, type GivenValues, isText, quoted } from './arguments.ts';
import { parseReceiver, type Receiver } from './receiver.ts';
import type { Config } from './settings.ts';
import { isStreamName, NAME_CHARACTERS, parseNats } from './stream-source.ts';
import type { readTextFile, TextFile } from './text-file.ts';
import { type MachineZone, machineZone } from './time-zone.ts';

const SPECS: readonly FlagSpec[] = Object.values(FLAGS);
const LOCALHOST = '127.0.0.1';
/** The value of `--store` with a stream. */
const CLUSTER: Store = 'jetstream';
/** Flags that a stream needs, and that have no effect without one. */
const CLUSTER_FLAGS: readonly FlagName[] = ['nats', 'stream'];
/** Flags that change a database by itself. */
const LOCAL_FLAGS: readonly FlagName[] = ['forward'];

/** A flag whose value is of a type, with its default. */
type Flag<Type extends FlagSpec['type'], Default> = FlagSpec & {
  readonly type: Type;
  readonly default: Default;
};
type IntegerFlag = Flag<'integer', number> & { readonly minimum: number; readonly maximum: number };

/** Reads a file of UTF-8 text. */
export type ReadFile = typeof readTextFile;

/** Checks every value in the order of `config.json`, then rules that concern several values. */
export class Values {
  private readonly given: Readonly<GivenValues>;
  private readonly problems: string[];
  private readonly readFile: ReadFile;
  /** The variable `TZ`. */
  private readonly zoneVariable: string | undefined;
  /** Values of whole numbers, for the relations between them. */
  private readonly numbers = new Map<FlagName, number>();

  constructor(
    given: Readonly<GivenValues>,
    problems: string[],
    readFile: ReadFile,
    zoneVariable: string | undefined,
  ) {
    this.given = given;
    this.problems = problems;
    this.readFile = readFile;
    this.zoneVariable = zoneVariable;
  }

  config(): Config {
    const host = this.host(this.text(FLAGS.host));
    const port = this.integer(FLAGS.port);
    const db = this.text(FLAGS.db);
    const durability = this.choice(FLAGS.durability);
    const maxBodyBytes = this.integer(FLAGS.maxBodyBytes);
    const maxBatchEvents = this.integer(FLAGS.maxBatchEvents);
    const maxMetadataBytes = this.integer(FLAGS.maxMetadataBytes);
    const queueEvents = this.integer(FLAGS.queueEvents);
    const queueBytes = this.integer(FLAGS.queueBytes);
    const sessionTimeoutMinutes = this.integer(FLAGS.sessionTimeoutMinutes);
    const waitingStaleHours = this.integer(FLAGS.waitingStaleHours);
    const maxStreamClients = this.integer(FLAGS.maxStreamClients);
    const heartbeatMs = this.integer(FLAGS.heartbeatMs);
    const statsIntervalMs = this.integer(FLAGS.statsIntervalMs);
    const token = this.optional(FLAGS.tokenFile, (given) => this.token(given)) ?? NO_TOKEN;
    this.switch(FLAGS.newToken);
    const allowHosts = this.list(FLAGS.allowHost, hostProblem);
    const allowOrigins = this.list(FLAGS.allowOrigin, originProblem);
    const socket = this.optional(FLAGS.socket, textOf);
    const stdin = this.choice(FLAGS.stdin) ?? undefined;
    const maxAttachmentBytes = this.integer(FLAGS.maxAttachmentBytes);
    const attachmentsBytes = this.integer(FLAGS.attachmentsBytes);
    const retainDays = this.integer(FLAGS.retainDays);
    const retainBytes = this.integer(FLAGS.retainBytes);
    const discardLargeMetadata = this.switch(FLAGS.discardLargeMetadata);
    const priceFile = this.optional(FLAGS.prices, (given) => this.priceFile(given));
    const noPrices = this.switch(FLAGS.noPrices);
    const redaction = this.optional(FLAGS.redact, (given) => this.redaction(given));
    const webhookUrl = this.optional(FLAGS.webhook, (given) => this.webhookUrl(given));
    const secret = this.optional(FLAGS.webhookSecretFile, (given) => this.webhookSecret(given));
    const webhookFinishMinutes = this.integer(FLAGS.webhookFinishMinutes);
    const budgetCents = this.optional(FLAGS.budgetUsdDay, (given) => this.budget(given));
    const { zone: timeZone, unknown: unknownZone } = this.timeZone(
      this.optional(FLAGS.timeZone, (given) => given),
    );
    const forward = this.optional(FLAGS.forward, (given) => this.receiver(given));
    const forwardToken = this.optional(FLAGS.forwardTokenFile, (given) => this.token(given))?.token;
    const store = this.choice(FLAGS.store);
    const nats = this.optional(FLAGS.nats, (given) => this.nats(given));
    const natsToken = this.optional(FLAGS.natsTokenFile, (given) => this.token(given))?.token;
    const stream = this.optional(FLAGS.stream, (given) => this.stream(given));
    const natsReplicas = this.integer(FLAGS.natsReplicas);
    const bench = this.switch(FLAGS.bench);
    const exitWithStdin = this.switch(FLAGS.exitWithStdin);
    const parentPid = this.integer(FLAGS.parentPid);
    const idleExitS = this.integer(FLAGS.idleExit);
    const readyFile = this.optional(FLAGS.readyFile, textOf);
    const commandName = this.commandName(this.text(FLAGS.commandName));
    const logLevel = this.choice(FLAGS.logLevel);
    this.relations(host, store);
    const isCluster = store === CLUSTER && nats !== undefined && stream !== undefined;
    return {
      host,
      port,
      db,
      durability,
      maxBodyBytes,
      maxBatchEvents,
      maxMetadataBytes,
      queueEvents,
      queueBytes,
      sessionTimeoutMinutes,
      waitingStaleHours,
      maxStreamClients,
      heartbeatMs,
      statsIntervalMs,
      ...token,
      allowHosts,
      allowOrigins,
      socket,
      stdin,
      maxAttachmentBytes,
      attachmentsBytes,
      retainDays,
      retainBytes,
      discardLargeMetadata,
      prices: noPrices ? undefined : { file: priceFile, builtIn: builtInPrices() },
      redaction,
      webhook:
        webhookUrl === undefined || secret === undefined ? undefined : new Endpoint(webhookUrl, secret),
      webhookFinishMinutes,
      budgetCents,
      timeZone,
      unknownZone,
      forward,
      forwardToken,
      cluster: isCluster
        ? { url: `nats://${nats}`, host: nats, token: natsToken, name: stream, replicas: natsReplicas }
        : undefined,
      bench,
      exitWithStdin,
      parentPid,
      idleExitS,
      readyFile,
      commandName,
      logLevel,
    };
  }

  private problem(
    message: string,
    given: Given,
    values: Readonly<Record<string, string | number>> = {},
  ): void {
    this.problems.push(fill(message, { source: given.source, value: quoted(given.text), ...values }));
  }

  private integer(flag: IntegerFlag): number {
    const given = this.first(flag.name);
    let number = flag.default;
    if (given !== undefined) {
      const { minimum, maximum } = flag;
      const value = /^[0-9]{1,16}$/.test(given.text) ? Number(given.text) : Number.NaN;
      if (value >= minimum && value <= maximum) number = value;
      else this.problem(MESSAGES.integer, given, { minimum, maximum });
    }
    this.numbers.set(flag.name, number);
    return number;
  }

  private text(flag: Flag<'text', string>): string {
    return this.checked(flag.name)?.text || flag.default;
  }

  /** Returns what a given text means; `undefined` without one. */
  private optional<Value>(
    flag: Flag<'text', null>,
    read: (given: Given) => Value | undefined,
  ): Value | undefined {
    const given = this.checked(flag.name);
    return given === undefined ? undefined : read(given);
  }

  private switch(flag: Flag<'switch', 'false'>): boolean {
    return this.word(flag, ['true', 'false']) === 'true';
  }

  private choice<Word extends string, Default extends Word | null>(
    flag: Flag<'choice', Default> & { readonly choices: readonly Word[] },
  ): Word | Default {
    return this.word(flag, flag.choices) ?? flag.default;
  }

  /** Returns the given word; `undefined` without a valid one. */
  private word<Word extends string>({ name }: FlagSpec, words: readonly Word[]): Word | undefined {
    const given = this.checked(name);
    if (given === undefined || given.text === '' || !isText(given.text)) return undefined;
    const found = words.find((word) => word === given.text);
    if (found === undefined) this.problem(MESSAGES.choice, given, { choices: words.join(', ') });
    return found;
  }

  private list(
    { name }: Flag<'list', readonly []>,
    problemOf: (text: string) => string | undefined,
  ): string[] {
    const items: string[] = [];
    for (const given of this.given.get(name) ?? []) {
      const message = given.text === '' ? MESSAGES.empty : problemOf(given.text);
      if (message !== undefined) this.problem(message, given);
      else items.push(given.text.toLowerCase());
    }
    return items;
  }

  /** Returns the given text after the check that every text has. Reports what is wrong, and returns the text then too. */
  private checked(name: FlagName): Given | undefined {
    const given = this.first(name);
    if (given?.text === '') this.problem(MESSAGES.empty, given);
    else if (given !== undefined && !isText(given.text)) this.problem(MESSAGES.text, given);
    return given;
  }

  private first(name: FlagName): Given | undefined {
    return this.given.get(name)?.[0];
  }

  private host(text: string): string {
    if (text === 'localhost') return LOCALHOST;
    // The shortest form (RFC 5952), by which `isLoopback` knows the address.
    if (isIPv6(text) && !text.includes('%')) return new URL(`http://[${text}]`).hostname.slice(1, -1);
    if (isIPv4(text)) return text;
    const given = this.first('host');
    if (given !== undefined) this.problem(MESSAGES.host, given);
    return LOCALHOST;
  }

  /** Returns the token, or the file that must be created for a new one (rule SEC-08). */
  private token(given: Given): Pick<Config, 'token' | 'newToken'> {
    const file = this.readFile(given.text);
    if (file === 'file_missing' && this.isNewToken(given)) return { ...NO_TOKEN, newToken: given.text };
    const text = this.privateText(given, file);
    if (text === undefined) return NO_TOKEN;
    const token = trimmed(text);
    if (token.length >= LIMITS.token_characters && /^[\x21-\x7e]+$/.test(token))
      return { ...NO_TOKEN, token };
    this.problem(MESSAGES.token_short, given, { minimum: LIMITS.token_characters });
    return NO_TOKEN;
  }

  /** Returns the content of a file, or reports why it has none. */
  private textFile(given: Given, file: ReturnType<ReadFile>): TextFile | undefined {
    if (typeof file !== 'string') return file;
    // An empty file name was already reported as a problem.
    if (given.text !== '') this.problem(MESSAGES[file], given);
    return undefined;
  }

  /** Returns the text of a file that must not be open to other users. */
  private privateText(given: Given, read: ReturnType<ReadFile>): string | undefined {
    const file = this.textFile(given, read);
    if (file === undefined || !isOpenToOthers(file.mode)) return file?.text;
    this.problem(MESSAGES.file_open, given);
    return undefined;
  }

  /** Returns whether a value is the file of `--new-token`. */
  private isNewToken(file: Given): boolean {
    return this.isOn('new-token') && this.first('token-file')?.source === file.source;
  }

  /** Returns the receiver of forwarded events. */
  private receiver(given: Given): Receiver | undefined {
    const receiver = parseReceiver(given.text);
    // An empty value was already reported as a problem.
    if (receiver === undefined && given.text !== '') this.problem(MESSAGES.forward, given);
    return receiver;
  }

  /** Returns host and port of the server of NATS. */
  private nats(given: Given): string | undefined {
    const host = parseNats(given.text);
    // An empty value was already reported as a problem.
    if (host === undefined && given.text.includes('@')) this.problem(MESSAGES.nats_secret, given);
    else if (host === undefined && given.text !== '') this.problem(MESSAGES.nats, given);
    return host;
  }

  private stream(given: Given): string {
    // An empty value was already reported as a problem.
    if (given.text !== '' && !isStreamName(given.text)) {
      this.problem(MESSAGES.stream, given, { maximum: NAME_CHARACTERS });
    }
    return given.text;
  }

  /** Returns whether a switch is given as true. */
  private isOn(name: FlagName): boolean {
    return this.first(name)?.text === 'true';
  }

  private priceFile(given: Given): PriceList | undefined {
    const file = this.textFile(given, this.readFile(given.text));
    if (file === undefined) return undefined;
    try {
      return parsePrices(file.text);
    } catch (problem) {
      if (!(problem instanceof PriceProblem)) throw problem;
      const path = JSON.stringify(problem.path);
      const line = faultLine(file.text);
      this.problem(MESSAGES[problem.fault], given, { path, maximum: LIMITS.max_cost_usd, line });
      return undefined;
    }
  }

  private redaction(given: Given): Redaction | undefined {
    const text =
      given.text === FLAGS.redact.builtin
        ? COMMON_SECRETS
        : this.textFile(given, this.readFile(given.text))?.text;
    if (text === undefined) return undefined;
    const rules = parseRedaction(text);
    if (!('problems' in rules)) return new Redaction(rules);
    for (const { fault, path } of rules.problems) {
      this.problem(MESSAGES[fault], given, {
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
    this.problem(MESSAGES.webhook_url, given, { maximum: LIMITS.webhook_url_bytes });
    return undefined;
  }

  private webhookSecret(given: Given): Buffer | undefined {
    const text = this.privateText(given, this.readFile(given.text));
    if (text === undefined) return undefined;
    const secret = parseSecret(trimmed(text));
    if (secret === undefined) {
      const { webhook_secret_bytes: minimum, webhook_secret_most_bytes: maximum } = LIMITS;
      this.problem(MESSAGES.webhook_secret, given, { minimum, maximum });
    }
    return secret;
  }

  private commandName(name: string): string {
    const given = this.first('command-name');
    const { command_name_bytes: maximum } = LIMITS;
    if (given !== undefined && (Buffer.byteLength(name) > maximum || !isPrintable(name))) {
      this.problem(MESSAGES.command_name, given, { maximum });
    }
    return name;
  }

  /** Returns the given zone, else that of the machine. */
  private timeZone(given: Given | undefined): MachineZone {
    if (given === undefined) return machineZone(this.zoneVariable);
    const zone = findZone(given.text);
    if (zone !== undefined) return { zone, unknown: undefined };
    // An empty value was already reported as a problem.
    if (given.text !== '') this.problem(MESSAGES.time_zone, given);
    return machineZone(undefined);
  }

  private budget(given: Given): number | undefined {
    const cents = parseBudget(given.text);
    // An empty amount was already reported as a problem.
    if (cents === undefined && given.text !== '') {
      this.problem(MESSAGES.budget, given, { maximum: LIMITS.max_cost_usd });
    }
    return cents;
  }

  private relations(host: string, store: Store): void {
    for (const { name, at_least: other } of SPECS) {
      const [value, minimum] = [this.numbers.get(name), other && this.numbers.get(other)];
      if (value === undefined || minimum === undefined || value >= minimum) continue;
      const given = { source: this.source(name), text: String(value) };
      this.problem(MESSAGES.at_least, given, { other: `--${other}`, minimum });
    }
    if (!isLoopback(host) && !this.given.has('token-file')) {
      this.problem(MESSAGES.token_required, { source: this.source('host'), text: host });
    }
    for (const { name, excludes } of SPECS) {
      if (excludes === undefined || !this.given.has(name) || !this.isOn(excludes)) continue;
      this.problem(MESSAGES.exclusive, { source: this.source(name), text: '' }, { other: `--${excludes}` });
    }
    for (const { name, type, needs } of SPECS) {
      const isUsed = type === 'switch' ? this.isOn(name) : this.given.has(name);
      if (needs === undefined || !isUsed || this.given.has(needs)) continue;
      this.problem(MESSAGES.needs, { source: this.source(name), text: '' }, { other: `--${needs}` });
    }
    this.clusterRelations(store);
  }

  /** Checks what `--store jetstream` needs and excludes (rule CLU-01). */
  private clusterRelations(store: Store): void {
    const isCluster = store === CLUSTER;
    for (const name of CLUSTER_FLAGS) {
      if (isCluster === this.given.has(name)) continue;
      const [source, other] = isCluster
        ? [this.source('store'), `--${name}`]
        : [this.source(name), `--store ${CLUSTER}`];
      this.problem(MESSAGES.needs, { source, text: '' }, { other });
    }
    if (isCluster && !this.isOn('discard-large-metadata')) {
      const given = { source: this.source('store'), text: '' };
      this.problem(MESSAGES.needs, given, { other: '--discard-large-metadata' });
    }
    for (const name of LOCAL_FLAGS) {
      if (!isCluster || !this.given.has(name)) continue;
      const other = `--store ${CLUSTER}`;
      this.problem(MESSAGES.exclusive, { source: this.source(name), text: '' }, { other });
    }
  }

  /** Returns the source of a value; its flag for a default. */
  private source(name: FlagName): string {
    return this.first(name)?.source ?? `--${name}`;
  }
}

const NO_TOKEN: Pick<Config, 'token' | 'newToken'> = { token: undefined, newToken: undefined };

function textOf({ text }: Given): string {
  return text;
}

/** Returns the message for a wrong name of `--allow-host`. */
function hostProblem(text: string): string | undefined {
  return isHostName(text) ? undefined : MESSAGES.allow_host;
}

/** Returns the message for a wrong origin of `--allow-origin`. */
function originProblem(text: string): string | undefined {
  if (text.includes('*')) return MESSAGES.allow_origin_wildcard;
  if (isFileOrigin(text)) return MESSAGES.allow_origin_file;
  return isOrigin(text) ? undefined : MESSAGES.allow_origin;
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
