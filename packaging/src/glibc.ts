/** Reads the oldest glibc that a program runs with: the newest version among the symbols that it needs. */
import { run } from './run.ts';

/** Returns the version as text, such as `2.17`. readelf comes with every C compiler. */
export async function neededGlibc(program: string): Promise<string> {
  const table = await run('readelf', ['--version-info', '--wide', program]);
  const versions = [...table.matchAll(/Name: GLIBC_(\d+(?:\.\d+)+)/g)].map(([, version]) => version!);
  const newest = versions.sort(compareVersions).at(-1);
  if (newest === undefined) throw new Error(`${program} needs no symbol of glibc`);
  return newest;
}

export function compareVersions(one: string, other: string): number {
  const [a, b] = [one.split('.').map(Number), other.split('.').map(Number)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
