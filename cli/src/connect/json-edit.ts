/**
 * Adds one value to JSON text or removes one; every other byte stays in place.
 *
 * A JSON editor would reformat the lines around a change, which belong to the user. Invariant: `without` after
 * `appended` restores the earlier text.
 */
import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

export type Path = readonly (string | number)[];

/** Appends an item to the array at `path`, or a property `key` to the object there. */
export function appended(text: string, path: Path, value: unknown, key?: string): string {
  const container = nodeAt(text, path);
  const { indent, eol } = layoutOf(text);
  const depth = path.length + 1;
  const line = (levels: number) => (indent === null ? '' : eol + indent.repeat(levels));
  const name = key === undefined ? '' : `${JSON.stringify(key)}:${indent === null ? '' : ' '}`;
  const lines = JSON.stringify(value, null, indent ?? undefined).split('\n');
  const item = `${line(depth)}${name}${lines.join(line(depth))}`;
  const last = container.children!.at(-1);
  if (last !== undefined) return replaced(text, endOf(last), endOf(last), `,${item}`);
  return replaced(text, container.offset + 1, endOf(container) - 1, `${item}${line(depth - 1)}`);
}

/** Removes the item or the property at `path`. */
export function without(text: string, path: Path): string {
  const value = nodeAt(text, path);
  const child = value.parent!.type === 'property' ? value.parent! : value;
  const container = child.parent!;
  const at = container.children!.indexOf(child);
  const [before, after] = [container.children![at - 1], container.children![at + 1]];
  if (before !== undefined) return replaced(text, endOf(before), endOf(child), '');
  if (after !== undefined) return replaced(text, child.offset, after.offset, '');
  return replaced(text, container.offset + 1, endOf(container) - 1, '');
}

/** Returns the layout of the text. `indent` is `null` if all is on one line. */
function layoutOf(text: string): { readonly indent: string | null; readonly eol: string } {
  const body = text.trim();
  const isOneLine = !body.includes('\n') && body.replaceAll(/\s/g, '') !== '{}';
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return { indent: isOneLine ? null : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function nodeAt(text: string, path: Path): Node {
  const node = findNodeAtLocation(parseTree(text)!, [...path]);
  if (node === undefined) throw new RangeError(`nothing at ${path.join('.')}`);
  return node;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function replaced(text: string, from: number, to: number, by: string): string {
  return text.slice(0, from) + by + text.slice(to);
}
