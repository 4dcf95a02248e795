/**
 * Made-up checkouts for the tests of the checks: a few files in a folder that is removed afterwards.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Files by path; a value that is no text is written as JSON. */
export type Tree = Readonly<Record<string, unknown>>;

/** Runs work in a checkout of these files. A file of `undefined` is left out. */
export async function inTree<T>(files: Tree, work: (root: string) => T | Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'twin-checks-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      if (content === undefined) continue;
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
