/**
 * The prose of a source file: its comments and the names of its tests and scenarios, as one Markdown text.
 *
 * Invariant: line `i` of the text comes from line `lines[i]` of the source, counted from 1. A comment at the end of a
 * line of code counts if a space is on both sides of the slashes.
 */
export interface Prose {
  readonly text: string;
  readonly lines: readonly number[];
}

/** Matches the name of a test. `both` runs a test of the client with each implementation of `fetch`. */
const TEST = /\b(?:test|it|describe|suite|both)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
/** Matches the name of a scenario of the parity tests. */
const SCENARIO = /\bname:\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*rules:/g;
const RUST_TEST = /#\[(?:tokio::)?test[^\]]*\]\s*(?:async\s+)?fn\s+(\w+)/g;

export function proseOf(source: string): Prose {
  const parts = [...comments(source), ...testNames(source)].sort((one, other) => one.line - other.line);
  const text: string[] = [];
  const lines: number[] = [];
  for (const part of parts) {
    for (const [index, line] of part.text.split('\n').entries()) {
      text.push(line);
      lines.push(part.line + index);
    }
    text.push('');
    lines.push(part.line);
  }
  return { text: text.join('\n'), lines };
}

/** Returns the lines of SQL that contain only a comment. */
export function commentsOfSql(source: string): Prose {
  const lines = source.split('\n').map((line) => /^\s*-- ?(.*)$/.exec(line)?.[1] ?? '');
  return { text: lines.join('\n'), lines: lines.map((_, index) => index + 1) };
}

interface Part {
  readonly line: number;
  readonly text: string;
}

/** Returns the comments. Consecutive comment lines are one part; a comment after code is a separate part. */
function comments(source: string): Part[] {
  const parts: { line: number; text: string }[] = [];
  let open: (typeof parts)[number] | undefined;
  let block = false;
  for (const [index, line] of source.split('\n').entries()) {
    const found = block
      ? line.replace(/^\s*\*? ?/, '')
      : /^\s*(?:\/\/[/!]?|\/\*[*!]?) ?(.*)$/.exec(line)?.[1];
    if (found === undefined) {
      open = undefined;
      const behind = /\S\s+\/\/ ([A-Z].*)$/.exec(line)?.[1];
      if (behind !== undefined) parts.push({ line: index + 1, text: behind });
      continue;
    }
    if (block || /^\s*\/\*/.test(line)) block = !line.includes('*/');
    const text = found.replace(/\s*\*\/.*$/, '').replace(/^(?:biome-ignore|@ts-)\S*.*$/, '');
    if (open !== undefined) open.text += `\n${text}`;
    else {
      open = { line: index + 1, text };
      parts.push(open);
    }
  }
  return parts;
}

function testNames(source: string): Part[] {
  const parts = (pattern: RegExp, nameOf: (match: RegExpExecArray) => string) =>
    [...source.matchAll(pattern)].map((match) => ({
      line: source.slice(0, match.index + match[0].length).split('\n').length,
      text: nameOf(match),
    }));
  return [
    ...[TEST, SCENARIO].flatMap((pattern) => parts(pattern, ([, , name]) => name!)),
    ...parts(RUST_TEST, ([, name]) => name!.replaceAll('_', ' ')),
  ];
}
