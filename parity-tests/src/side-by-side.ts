/** Formats two columns of wrapped text, for expected and actual. */

/** Returns the lines of `left` and `right` in two columns that fill `width` characters. */
export function sideBySide(left: readonly string[], right: readonly string[], width: number): string[] {
  const column = Math.max(20, Math.floor((width - 3) / 2));
  const rows: string[] = [];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const one = wrap(left[index] ?? '', column);
    const other = wrap(right[index] ?? '', column);
    for (let line = 0; line < Math.max(one.length, other.length); line += 1) {
      rows.push(`${(one[line] ?? '').padEnd(column)} | ${other[line] ?? ''}`.trimEnd());
    }
  }
  return rows;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of text.split('\n')) {
    for (let at = 0; at === 0 || at < part.length; at += width) lines.push(part.slice(at, at + width));
  }
  return lines;
}
