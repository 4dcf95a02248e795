/** The form of `contract/zones.json`, and its text. */

/** Zones with equal changes. */
export interface ZoneTable {
  /** Names, separated by spaces. */
  readonly names: string;
  /** The first offset, then every change. */
  readonly changes: string;
}

export interface ZonesFile {
  readonly about: string;
  /** The version of the data of IANA. */
  readonly version: string;
  /** The day when that version was written. */
  readonly date: string;
  /** The first and the last day of the changes, in UTC. */
  readonly first: string;
  readonly last: string;
  readonly tables: readonly ZoneTable[];
}

/** Returns the names of a table. */
export function namesOf({ names }: ZoneTable): string[] {
  return names.split(' ');
}

/** Returns the text of the file, as Biome formats it. */
export function zoneText({ tables, ...head }: ZonesFile): string {
  const text = (value: unknown): string => JSON.stringify(value);
  const lines = Object.entries(head).map(([key, value]) => `  ${text(key)}: ${text(value)},\n`);
  const rows = tables.map(({ names, changes }) => {
    const row = `{ "names": ${text(names)}, "changes": ${text(changes)} }`;
    const isShort = `    ${row},`.length <= 110;
    return isShort
      ? `    ${row}`
      : `    {\n      "names": ${text(names)},\n      "changes": ${text(changes)}\n    }`;
  });
  return `{\n${lines.join('')}  "tables": [\n${rows.join(',\n')}\n  ]\n}\n`;
}
