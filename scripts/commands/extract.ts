/**
 * Finds the commands of this repository in texts that users read: Markdown, help, and the strings of sources.
 *
 * Invariant: no I/O. In Markdown only code counts. In help and sources a command ends at its last flag, because prose
 * follows it.
 */

export interface Command {
  readonly program: 'pnpm' | 'twin-ingest' | 'ingest-server';
  /** The words after the program, up to the first one that is no part of the command line. */
  readonly words: readonly string[];
  /** The program with its words, as data and messages name the command. */
  readonly text: string;
}

const PROGRAM =
  /(?<before>(?<![\w@/.-])npx --yes |(?<![\w@/.-])npx |(?<![\w@/-])\.\/|(?<![\w@-])target\/release\/|(?<![\w@/.-]))(?<program>pnpm|twin-ingest|ingest-server)(?:@[\d.]+)?(?= )/g;
/** What ends a command within a line. */
const END = /[`'"“”|;&<>()[\]{}#,…→\\]| {2}/;
const FENCE = /^( *)(`{3,})[^\n]*\n([\s\S]*?)\n\1\2$/gm;
const SPAN = /(`+)([^`]+)\1/g;
/** What stands before a program that a shell runs, and not before a path among the arguments of another program. */
const IN_FRONT = /(?:^|[|;&$(>]|--) *(?:\w+=\S+ +)*$/;
const COMMENT_LINE = /^\s*(?:\/?\*|\/\/).*$/gm;

/** Returns the commands in the code of a document. */
export function commandsOfMarkdown(text: string): Command[] {
  const fenced = [...text.matchAll(FENCE)].map(([, , , code]) => code!);
  const spans = [...text.replaceAll(FENCE, '').matchAll(SPAN)].map(([, , code]) => code!);
  return [...fenced, ...spans].flatMap((code) =>
    code
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .flatMap((line) => {
        const [command, ...comments] = line.split(/(?<=^|\s)#(?= )/);
        return [...commandsOf(command!, true), ...comments.flatMap((comment) => commandsOf(comment, false))];
      }),
  );
}

/** Returns the commands of a help text. */
export function commandsOfHelp(text: string): Command[] {
  return text.split('\n').flatMap((line) => commandsOf(line, false));
}

/** Returns the commands in the strings of a source file. Names that the program computes are left out. */
export function commandsOfSource(text: string): Command[] {
  return commandsOfHelp(
    text.replaceAll(COMMENT_LINE, '').replaceAll(/\$\{COMMAND\}/g, './twin-ingest'),
  ).filter(({ words }) => !words.some((word) => word.includes('$')));
}

function commandsOf(line: string, isCode: boolean): Command[] {
  return [...line.matchAll(PROGRAM)].flatMap((match) => {
    const { program, before } = match.groups as { program: Command['program']; before: string };
    if (isCode && !IN_FRONT.test(line.slice(0, match.index))) return [];
    const words = line
      .slice(match.index + match[0].length)
      .split(END)[0]!
      .split(/\s+/)
      .filter((word) => word !== '');
    // In prose these two are also names of things.
    const isName = !isCode && before === '' && program !== 'pnpm' && !words[0]?.startsWith('--');
    const kept = isCode ? words : upToLastFlag(words);
    if (isName || kept.length === 0) return [];
    return [{ program, words: kept, text: [program, ...kept].join(' ') }];
  });
}

/** Returns the first word, and the flags that follow it at once, with their values. */
function upToLastFlag(words: readonly string[]): string[] {
  let end = words[0]?.startsWith('--') ? 0 : 1;
  for (let at = end; words[at]?.startsWith('--'); at++) {
    end = at + 1;
    if (/^[A-Z./\d]/.test(words[end] ?? '')) at = end++;
  }
  return words.slice(0, end).map((word) => word.replace(/[.:]$/, ''));
}
