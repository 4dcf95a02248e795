/**
 * Checks the grammar of `zones.json`, which the servers do not check. It does not compare the file with the time zones
 * of this Node, whose version may be another.
 */
import { namesOf, type ZonesFile } from '../contract/zones.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Minutes: the steps of offsets, and more than the largest offset. */
const STEP = 15;
const LARGEST = 900;

/** Returns the problems, one a line. */
export function checkZones(file: ZonesFile | undefined): string[] {
  if (file === undefined) return [];
  const { version, date, first, last, tables } = file;
  const problems = [date, first, last]
    .filter((day) => !DAY.test(day) || Number.isNaN(Date.parse(day)))
    .map((day) => `zones.json: ${day} is no date`);
  if (!/^\d{4}[a-z]$/.test(version))
    problems.push(`zones.json: ${version} is no version of the data of IANA`);
  const names = tables.flatMap(namesOf);
  const known = new Set(names);
  if (!known.has('UTC')) problems.push('zones.json: UTC is not there');
  for (const name of known) {
    if (!/^[A-Za-z][\w+/-]*$/.test(name)) problems.push(`zones.json: ${JSON.stringify(name)} is no name`);
    if (names.indexOf(name) !== names.lastIndexOf(name)) problems.push(`zones.json: ${name} is there twice`);
  }
  const minutes = (Date.parse(last) + DAY_MS - Date.parse(first)) / MINUTE_MS;
  return [
    ...problems,
    ...tables.flatMap((table) =>
      changesProblems(table.changes, minutes).map((text) => `zones.json: ${namesOf(table)[0]}: ${text}`),
    ),
  ];
}

/** Returns the problems of a table, whose changes must be within a number of minutes. */
function changesProblems(changes: string, most: number): string[] {
  const [first = '', ...words] = changes.split(' ');
  if (!isOffset(first)) return [`${JSON.stringify(first)} is no offset`];
  const problems: string[] = [];
  let [sum, previous] = [0, first];
  for (const word of words) {
    const [, since, offset] = /^([1-9]\d*):(-?\d+)$/.exec(word) ?? [];
    if (since === undefined || offset === undefined || !isOffset(offset))
      return [...problems, `${word} is no change`];
    if (offset === previous) problems.push(`${word} changes nothing`);
    sum += Number(since);
    previous = offset;
  }
  if (sum >= most) problems.push(`its changes go beyond the last day`);
  return problems;
}

function isOffset(text: string): boolean {
  const offset = Number(text);
  return String(offset) === text && offset % STEP === 0 && Math.abs(offset) < LARGEST;
}
