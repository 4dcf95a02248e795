/**
 * Prints the help of a program so that it fits the terminal.
 *
 * Lines of prose become one paragraph, which is broken at blanks. The second column of a table stays a column. Without a
 * terminal the text is printed as it is.
 */

/** The narrowest second column. */
const NARROWEST = 24;

/** Prints a help text to stdout. */
export function printHelp(text: string): void {
  process.stdout.write(fitted(text, process.stdout.isTTY ? process.stdout.columns : undefined));
}

export function fitted(text: string, columns: number | undefined): string {
  // A terminal that does not know its width says 0.
  if (!columns || !text.split('\n').some((line) => line.length > columns)) return text;
  return paragraphs(text)
    .map((line) => broken(line, columns))
    .join('\n');
}

/** Joins successive lines of prose, also those of a second column; all others stay lines of their own. */
function paragraphs(text: string): string[] {
  const lines: string[] = [];
  let isProse = false;
  for (const line of text.split('\n')) {
    const column = /^ {4,}(?=\S)/.exec(line)?.[0].length;
    const isSecondColumn = column !== undefined && leftOf(lines.at(-1) ?? '')?.length === column;
    if (isSecondColumn || (isProse && /^\S/.test(line))) lines.push(`${lines.pop()} ${line.trimStart()}`);
    else lines.push(line);
    isProse = /^\S/.test(line);
  }
  return lines;
}

/** Breaks a line. A second column that would be too narrow starts on a line of its own. */
function broken(line: string, columns: number): string {
  const own = /^ */.exec(line)![0];
  const below = own === '' ? '' : `${own}    `;
  const left = leftOf(line);
  if (line.length <= columns) return line;
  if (left === undefined) return filled(line, below, columns);
  if (columns - left.length >= NARROWEST) return filled(line, ' '.repeat(left.length), columns);
  return `${left.trimEnd()}\n${filled(`${below}${line.slice(left.length)}`, below, columns)}`;
}

/** Breaks a line at blanks; `indentation` starts each further line. */
function filled(line: string, indentation: string, columns: number): string {
  const rows: string[] = [];
  let row = line;
  while (row.length > columns) {
    const at = row.lastIndexOf(' ', columns);
    // A word that is too long for a line stays whole.
    if (row.slice(0, at).trim() === '') break;
    rows.push(row.slice(0, at).trimEnd());
    row = `${indentation}${row.slice(at).trimStart()}`;
  }
  return [...rows, row].join('\n');
}

/** Returns the first column of a row of a table, up to the second one. */
function leftOf(line: string): string | undefined {
  return /^ +\S+(?: \S+)*? {2,}(?=\S)/.exec(line)?.[0];
}
