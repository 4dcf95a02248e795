/** `client-ts/src/wire-fields.ts`: the fields of an event as Protobuf carries them, for the optional formats of the client. */
import type { Fields } from './fields.ts';

/** One line for each field that a client sends, in the order of `fields.json`. */
export function wireFields({ fields }: Fields, words: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(fields).map(([name, { kind, protobuf, values }]) => {
    const list = values === undefined ? '' : `, [${words[values]!.map((word) => `'${word}'`).join(', ')}]`;
    return `  // biome-ignore format: one field a line\n  ['${name}', '${kind}', ${protobuf}${list}],\n`;
  });
  return `/** Generated from \`contract/fields.json\` by \`pnpm contract:update\`: name, kind, number in Protobuf, words of a choice. */
import type { OutgoingEvent } from './contract.ts';

type Kind = 'text' | 'choice' | 'integer' | 'dollars' | 'timestamp' | 'json';

export const WIRE_FIELDS: readonly (readonly [keyof OutgoingEvent, Kind, number, (readonly string[])?])[] = [
${lines.join('')}];
`;
}
