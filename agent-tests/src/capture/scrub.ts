/**
 * Turns the requests of an agent into test data. It removes paths, names and the host of this machine, and cuts long
 * texts. It keeps one record of each kind of noise.
 *
 * Invariant: the same request yields the same data. Numbers, ids and names of records stay unchanged.
 */
import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Largest number of characters of a text; longer texts are cut. */
const KEPT_CHARACTERS = 100;

/** Matches the attributes of a resource that are removed. No mapping reads them. */
const DROPPED = /^(host|os|process|user|installation|telemetry)[._]/;

interface Attribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string };
}

/** Scrubs the requests of one agent. `places` are pairs of a text and its replacement. */
export class Scrubber {
  readonly #places: readonly (readonly [string, string])[];
  readonly #noise = new Set<string>();
  readonly #isNoise: (name: string) => boolean;
  /** Whether a span may become an event. */
  readonly #hasSpans: boolean;

  constructor(agentType: string, places: readonly (readonly [string, string])[]) {
    const own: [string, string][] = [
      [homedir(), '/home/user'],
      [hostname(), 'machine'],
      [ROOT.replace(/\/$/, ''), '/checkout'],
    ];
    this.#places = [...places, ...own.filter(([text]) => text.length > 4)];
    const mapping = mappingOf(agentType);
    this.#isNoise = noiseOf(mapping);
    this.#hasSpans = mapping !== null && mapping.spans['*'] !== 'noise';
  }

  /** Returns the scrubbed body; `null` if it has only noise that an earlier request already had. */
  request(path: string, body: unknown): unknown {
    const cut = this.#value(body);
    if (!path.startsWith('/v1/')) return cut;
    return this.#withoutNoise(cut);
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.filter((one) => !isDropped(one)).map((one) => this.#value(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#value(one)]));
  }

  #text(text: string): string {
    let clean = text;
    for (const [place, name] of this.#places) clean = clean.replaceAll(place, name);
    clean = clean.replaceAll(new RegExp(`\\b${userInfo().username}\\b`, 'g'), 'user');
    return clean.length > KEPT_CHARACTERS ? `${clean.slice(0, KEPT_CHARACTERS)}…` : clean;
  }

  #withoutNoise(body: unknown): unknown {
    const { resourceLogs } = body as {
      resourceLogs?: { scopeLogs: { logRecords: { attributes: Attribute[] }[] }[] }[];
    };
    // Spans have no names of noise, except where all of them are noise.
    if (resourceLogs === undefined)
      return this.#hasSpans && 'resourceSpans' in (body as object) ? body : null;
    let kept = 0;
    const cut = resourceLogs.map((resource) => ({
      ...resource,
      scopeLogs: resource.scopeLogs.map((scope) => ({
        ...scope,
        logRecords: scope.logRecords.filter(({ attributes = [] }) => {
          const name = attributes.find(({ key }) => key === 'event.name')?.value?.stringValue ?? '';
          const isKept = !this.#isNoise(name) || !this.#noise.has(name);
          if (this.#isNoise(name)) this.#noise.add(name);
          if (isKept) kept++;
          return isKept;
        }),
      })),
    }));
    return kept === 0 ? null : { resourceLogs: cut };
  }
}

function isDropped(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'key' in value && DROPPED.test(String(value.key));
}

interface Mapping {
  readonly name: { readonly prefix?: string };
  readonly logs: Readonly<Record<string, unknown>>;
  readonly spans: Readonly<Record<string, unknown>>;
}

/** Returns the agent's mapping of telemetry; `null` for an agent without one. */
function mappingOf(agentType: string): Mapping | null {
  const file = `${ROOT}contract/agents/${agentType.replaceAll('_', '-')}/telemetry.json`;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Mapping;
  } catch {
    return null;
  }
}

/** Returns a function that tells whether a log record of this name is noise by the agent's mapping. */
function noiseOf(mapping: Mapping | null): (name: string) => boolean {
  if (mapping === null) return () => false;
  const { name, logs } = mapping;
  const { prefix = '' } = name;
  return (text) => logs[text.startsWith(prefix) ? text.slice(prefix.length) : text] === 'noise';
}
