/** Finds the time zone of the machine (rule PRO-23). */
import { readFileSync, readlinkSync } from 'node:fs';
import { findZone, UTC, type Zone } from '../zones.ts';

/** A link to the data of the zone, on Linux and macOS. */
const LINK = '/etc/localtime';
/** A file with the name, which Debian also has. */
const FILE = '/etc/timezone';
/** In a path to the data of a zone, this precedes the name. */
const FOLDER = 'zoneinfo/';

/** The time zone of a machine. */
export interface MachineZone {
  readonly zone: Zone;
  /** The first name that no zone has, if any. */
  readonly unknown: string | undefined;
}

/** Returns the zone of the variable `TZ`, else of the system, else UTC. */
export function machineZone(variable: string | undefined): MachineZone {
  return firstZone([
    () => nameIn((variable ?? '').replace(/^:+/, '')),
    () => nameIn(textOf(() => readlinkSync(LINK))),
    () => nameIn(textOf(() => readFileSync(FILE, 'utf8').trim())),
  ]);
}

/** Returns the zone of the first name that has one. */
export function firstZone(sources: readonly (() => string | undefined)[]): MachineZone {
  let unknown: string | undefined;
  for (const source of sources) {
    const name = source();
    const zone = name === undefined ? undefined : findZone(name);
    if (zone !== undefined) return { zone, unknown };
    unknown ??= name;
  }
  return { zone: findZone(UTC)!, unknown };
}

/** Returns a name, also that of a path to the data of a zone. Another path has none. */
export function nameIn(text: string): string | undefined {
  const at = text.indexOf(FOLDER);
  if (at < 0 && text.startsWith('/')) return undefined;
  return text.slice(at < 0 ? 0 : at + FOLDER.length) || undefined;
}

/** Returns a text of the system; empty when it has none. */
function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
