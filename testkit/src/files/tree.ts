/** Writes trees of files for tests, in a folder that is removed afterwards. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inFolder } from './temporary-folder.ts';

/** Files by path; a value that is not a string is written as JSON. */
export type Tree = Readonly<Record<string, unknown>>;

/** Runs work in a folder with these files. An `undefined` file is omitted. */
export async function inTree<T>(files: Tree, work: (root: string) => T | Promise<T>): Promise<T> {
  return await inFolder(async (root) => {
    writeTree(root, files);
    return await work(root);
  });
}

/** Writes these files into a folder. */
export function writeTree(root: string, files: Tree): void {
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}
