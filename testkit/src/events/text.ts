/**
 * Generates filler text: words, code, shell output and paths, truncated so that its JSON form has an exact number of
 * bytes.
 *
 * Text with quotes, line feeds and optional non-ASCII characters costs a parser as much as real events. A run of one
 * letter would cost less.
 */
import type { Random } from '../random.ts';

const WORDS = (
  'the a to of and in is for with that this on be as at file test function error value line module return ' +
  'string type update build check config server request parse index commit branch should when because before ' +
  'after new old first next missing expected result output directory read write fix implement refactor handle'
).split(' ');

const CODE = [
  'const result = await fetchRows(limit, offset);\n',
  '  if (!user.isActive) return null;\n',
  'def parse_line(self, line: str) -> dict:\n    return json.loads(line)\n',
  'import { readFile } from "node:fs/promises";\n',
  '    assert response.status_code == 200, response.text\n',
  'fn main() -> Result<(), Error> {\n',
  '      <button className="primary" onClick={save}>Save</button>\n',
  'SELECT id, name FROM users WHERE name LIKE \'%"x"%\';\n',
];

const OUTPUT = [
  '$ cargo test\n   Compiling app v0.1.0 (/home/user/projects/app)\n',
  'ok 12 - parses an empty line\n',
  'warning: unused variable: `count`\n  --> src/lib.rs:42:9\n',
  '-rw-r--r-- 1 user user  4096 Feb 11 20:36 package.json\n',
  'C:\\Users\\user\\project>\tnpm run build\r\n',
  'error TS2345: Argument of type "string" is not assignable to parameter of type "number".\n',
];

const NON_ASCII = [
  '✓ passed',
  '│ 542 │',
  '→',
  '“quoted”',
  'café',
  'größer',
  '日本語のテスト',
  '👍',
  '─────',
  '…',
];

const PATHS = ['src', 'lib', 'tests', 'docs', 'packages/core', 'app/models', 'internal/store'];
const NAMES = [
  'index.ts',
  'main.rs',
  'parser.py',
  'README.md',
  'user_controller.rb',
  'store.go',
  'schema.sql',
];

export function filePath(random: Random): string {
  return `/home/user/projects/app/${random.pick(PATHS)}/${random.pick(NAMES)}`;
}

/** Returns a non-ASCII character and its neighbours. */
export function nonAscii(random: Random): string {
  return random.pick(NON_ASCII);
}

/**
 * Returns text whose JSON form, without its quotes, has exactly `bytes` bytes. Text shorter than one piece has only
 * letters; `prefix` supplies non-ASCII characters.
 */
export function filler(random: Random, bytes: number, prefix: string): string {
  let text = '';
  let size = 0;
  const add = (piece: string): boolean => {
    const grown = size + jsonBytes(piece);
    if (grown > bytes) return false;
    text += piece;
    size = grown;
    return true;
  };
  add(prefix);
  while (add(piece(random))) {
    if (prefix !== '' && random.below(8) === 0) add(` ${nonAscii(random)}`);
  }
  while (size < bytes) {
    const word = ` ${random.pick(WORDS)}`.slice(0, bytes - size);
    text += word;
    size += word.length;
  }
  return text;
}

function piece(random: Random): string {
  const roll = random.below(10);
  if (roll < 2) return random.pick(CODE);
  if (roll < 4) return random.pick(OUTPUT);
  if (roll < 5) return ` ${filePath(random)}`;
  return ` ${random.pick(WORDS)}`;
}

/** Returns the bytes of the text's JSON form without its quotes. */
function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
