/**
 * Makes test data of what an agent sent: no path, name or host of this machine, no long text, each kind of noise once.
 *
 * Invariant: the same request gives the same data, and numbers, ids and names of records stay.
 */
import { readFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';

/** Longer texts are cut to this many characters. */
const KEPT_CHARACTERS = 100;

/** Of a resource: nothing that a mapping reads. */
const DROPPED = /^(host|os|process|user|installation|telemetry)[._]/;

interface Attribute {
  readonly key: string;
  readonly value?: { readonly stringValue?: string };
}

/** `places` are texts and what stands for them. */
export class Scrubber {
  readonly #places: readonly (readonly [string, string])[];
  readonly #noise = new Set<string>();
  readonly #isNoise: (name: string) => boolean;

  constructor(agentType: string, places: readonly (readonly [string, string])[]) {
    const own: [string, string][] = [
      [homedir(), '/home/user'],
      [hostname(), 'machine'],
      [ROOT.replace(/\/$/, ''), '/checkout'],
    ];
    this.#places = [...places, ...own.filter(([text]) => text.length > 4)];
    this.#isNoise = noiseOf(agentType);
  }

  /** `null` where only noise is left that an earlier request has. */
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
    if (resourceLogs === undefined) return null;
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

/** Whether a record of this name says nothing, by the mapping of the agent. */
function noiseOf(agentType: string): (name: string) => boolean {
  const file = `${ROOT}contract/agents/${agentType.replaceAll('_', '-')}.json`;
  let mapping: { name_prefix: string; logs: Record<string, unknown> };
  try {
    mapping = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return () => false;
  }
  return (name) => {
    const entries =
      mapping.logs[name.startsWith(mapping.name_prefix) ? name.slice(mapping.name_prefix.length) : name];
    return entries === 'noise';
  };
}
