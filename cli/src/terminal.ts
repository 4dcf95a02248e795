/**
 * Writes lines for people. Invariant: no other module of the command line writes to stdout or stderr.
 *
 * Texts of clients, files and servers are in these lines. A terminal obeys some characters, and others hide or reorder
 * text. So each line shows them as the escapes of JSON, as the servers do in their logs (rule PRO-01). A line feed is
 * one of them, so no text can add a line of its own. In JSON the escapes mean the same.
 */
import { StringDecoder } from 'node:string_decoder';
import { printHelp as printFitted } from '@twin-ingest/testkit/process/help.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a line must not contain.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
/** What a text of several lines keeps: line feeds, tabs of source code, joiners of words and emoji. */
const KEPT_IN_TEXT = '\n\t\u200c\u200d';

/** Returns a line with escapes for what a terminal should not get, except the characters of `kept`. */
export function shown(line: string, kept = ''): string {
  return line.replace(UNSAFE, (one) =>
    kept.includes(one) ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a text of several lines, such as a document in Markdown, with the same escapes. */
export function shownText(text: string): string {
  return shown(text.replaceAll('\r\n', '\n'), KEPT_IN_TEXT);
}

/** Matches the user of a URL, whose password no line shows. A path of a package may have an at sign. */
const USER = /((?!file:)\b[a-z][a-z0-9+.-]*:\/\/)\S*@/gi;

/** Returns a line for people: without passwords of URLs, and with escapes. */
function lineOf(text: string): string {
  return `${shown(text.replace(USER, '$1***@'))}\n`;
}

/** Prints one line to stdout. */
export function say(line: string): void {
  process.stdout.write(lineOf(line));
}

/** Prints a help text to stdout. It has the name of the command line, which is a path of the user. */
export function printHelp(text: string): void {
  printFitted(shownText(text));
}

/** Prints one line to stderr. */
export function warn(line: string): void {
  process.stderr.write(lineOf(line));
}

/** Returns a function that prints problems of this command to stderr, one a line. */
export function complainOf(command: string): (problem: string) => void {
  return (problem) => warn(`${command}: ${problem}`);
}

/** Prints text of a server or of the runtime, which has lines of its own, to stderr. */
export function warnLines(text: string): void {
  warnAll(text.split('\n'));
}

/** Prints lines that belong together to stderr, at once: a server writes lines of its own to the same terminal. */
export function warnAll(lines: readonly string[]): void {
  process.stderr.write(lines.map(lineOf).join(''));
}

/** Writes a piece of a document to stdout; returns whether stdout takes more. */
export function writePiece(piece: Uint8Array | string): boolean {
  return process.stdout.write(piece);
}

/** Writes JSON lines of a server to stdout: a program reads them as they are, and a terminal shows the escapes. */
export function passOn(lines: string): void {
  process.stdout.write(process.stdout.isTTY ? shown(lines, '\n') : lines);
}

/** Yields pieces of JSON lines as `passOn` writes them. */
export async function* linesForOutput(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array | string> {
  if (!process.stdout.isTTY) return yield* pieces;
  const decoder = new StringDecoder('utf8');
  for await (const piece of pieces) yield shown(decoder.write(piece), '\n');
  yield shown(decoder.end(), '\n');
}
