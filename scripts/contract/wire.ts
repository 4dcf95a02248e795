/**
 * Generates `client-ts/src/wire-fields.ts`: the Protobuf form of events and rows, for the optional formats of the
 * client.
 */
import type { Fields } from './fields.ts';

interface Member {
  readonly kind: string;
  readonly protobuf: number;
  readonly values?: string;
}

/** Returns one line for each field that a client sends, one for each field that a server adds, and an empty row. */
export function wireFields(
  { fields, server_columns, row }: Fields,
  words: Readonly<Record<string, readonly string[]>>,
): string {
  const lines = (members: Readonly<Record<string, Member>>) =>
    Object.entries(members).map(([name, { kind, protobuf, values }]) => {
      const list = values === undefined ? '' : `, [${words[values]!.map((word) => `'${word}'`).join(', ')}]`;
      return `  // biome-ignore format: one field a line\n  ['${name}', '${kind}', ${protobuf}${list}],\n`;
    });
  const defaults = row.map((name) => {
    const { default: value = null } = fields[name] ?? server_columns[name]!;
    return `  ${name}: ${JSON.stringify(value).replaceAll('"', "'")},\n`;
  });
  return `/** Generated from \`contract/fields.json\` by \`pnpm contract:update\`: name, kind, number in Protobuf, words of a choice. */
import type { EventRow, OutgoingEvent } from './contract.ts';

type Kind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json' | 'boolean';
export type WireField<Name extends string> = readonly [Name, Kind, number, (readonly string[])?];

export const WIRE_FIELDS: readonly WireField<keyof OutgoingEvent>[] = [
${lines(fields).join('')}];

/** Members that a server adds to each event. */
export const SERVER_FIELDS: readonly WireField<keyof EventRow>[] = [
${lines(server_columns).join('')}];

/** The members of a row in order, each with its absent value. */
export const emptyRow = (): Record<keyof EventRow, unknown> => ({
${defaults.join('')}});
`;
}
