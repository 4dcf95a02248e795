/**
 * `pnpm zones:update`: writes `contract/zones.json` from the time zones of this Node, and expectations for tests.
 *
 * The servers have a table of their own, so that both use equal data on every machine. Node has the data of IANA in
 * its ICU. Names that the file already has stay, so that every machine with the same Node writes equal bytes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '@twin-ingest/testkit/process/usage.ts';
import { zonePeriods } from './contract/zone-periods.ts';
import { namesOf, type ZonesFile, zoneText } from './contract/zones.ts';

/** The system's list of zones and of their older names, which `Intl.supportedValuesOf` leaves out. */
const SYSTEM_LIST = '/usr/share/zoneinfo/tzdata.zi';
const MS_MINUTE = 60_000;
const MS_DAY = 86_400_000;
/** Days of the file: the first, and the one after the last. */
const FIRST_MS = Date.UTC(2000, 0, 1);
const END_MS = Date.UTC(2041, 0, 1);

const ABOUT =
  'Time zones of IANA, written by `pnpm zones:update`. `names` share one table. `changes` begins with the offset from UTC in minutes at the first instant. Each change follows as MINUTES:OFFSET, with the minutes since the previous change, or since the first instant.';

/** Returns the names of all zones that this Node knows, sorted. */
function allNames(known: readonly string[]): string[] {
  const lines = existsSync(SYSTEM_LIST) ? readFileSync(SYSTEM_LIST, 'utf8').split('\n') : [];
  const listed = lines.flatMap((line) => {
    const [kind, first, second] = line.split(' ');
    if (kind === 'Z') return [first!];
    return kind === 'L' ? [second!] : [];
  });
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...listed, ...known]);
  return [...names].filter(isKnown).sort();
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns a function from Unix milliseconds to the offset in minutes. */
function offsetsOf(name: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    timeZoneName: 'longOffset',
    hour: 'numeric',
  });
  return (ms) => {
    const text = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const parts = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text);
    const minutes = Number(parts?.[2] ?? 0) * 60 + Number(parts?.[3] ?? 0);
    // A day and an hour have no other boundaries than quarters of an hour, by which the servers sum up.
    if (parts === null || minutes % 15 !== 0) throw new Error(`${name} has the offset ${text}`);
    return parts[1] === '-' ? -minutes : minutes;
  };
}

/** Returns the changes of a zone. No zone has two changes on one day that cancel each other. */
function changesOf(name: string): string {
  const offsetAt = offsetsOf(name);
  let offset = offsetAt(FIRST_MS);
  const words = [String(offset)];
  let previous = FIRST_MS;
  for (let day = FIRST_MS; day < END_MS; day += MS_DAY) {
    let [before, after] = [day, day + MS_DAY];
    const next = offsetAt(after);
    if (next === offset) continue;
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    if (offsetAt(after) !== next || after % MS_MINUTE !== 0)
      throw new Error(`${name} changes unexpectedly at ${after}`);
    words.push(`${(after - previous) / MS_MINUTE}:${next}`);
    [offset, previous] = [next, after];
  }
  return words.join(' ');
}

/** Returns the file that this Node's data gives, when the present file is `present`. */
function generateZones(present: ZonesFile | undefined): ZonesFile {
  const version = process.versions.tz!;
  const names = new Map<string, string[]>();
  for (const name of allNames(present?.tables.flatMap(namesOf) ?? [])) {
    const changes = changesOf(name);
    names.set(changes, [...(names.get(changes) ?? []), name]);
  }
  return {
    about: ABOUT,
    version,
    date: present?.version === version ? present.date : new Date().toISOString().slice(0, 10),
    first: new Date(FIRST_MS).toISOString().slice(0, 10),
    last: new Date(END_MS - MS_DAY).toISOString().slice(0, 10),
    tables: [...names].map(([changes, all]) => ({ names: all.join(' '), changes })),
  };
}

function main(): number {
  answerHelp(`Usage: pnpm zones:update

Writes contract/zones.json: the time zones of this Node, with their changes from 2000 to 2040. It also writes
testkit/expected/zone-periods.json, which the tests of both servers read. It takes about 20 s.
`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const path = join(root, 'contract/zones.json');
  const present = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ZonesFile) : undefined;
  const zones = generateZones(present);
  writeFileSync(path, zoneText(zones));
  const periods = 'testkit/expected/zone-periods.json';
  writeFileSync(join(root, periods), zonePeriods(zones.version));
  execFileSync('biome', ['format', '--write', periods], { cwd: root, stdio: 'inherit' });
  process.stdout.write(`contract/zones.json: version ${zones.version}, ${zones.tables.length} tables\n`);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
