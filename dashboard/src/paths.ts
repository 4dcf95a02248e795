/**
 * Tells projects of one name apart by the folders in which their sessions work.
 *
 * Pure. An event's `project` is only the last segment of a folder.
 */

/** Returns for each path its shortest end that no other path has; a single path is its last segment. */
export function labelsOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(paths)];
  const ends = new Map(all.map((path) => [path, path.split(/[/\\]/).filter((part) => part !== '')]));
  const endOf = (path: string, count: number) => ends.get(path)!.slice(-count).join('/');
  return new Map(
    all.map((path) => {
      const depth = ends.get(path)!.length;
      let count = 1;
      while (
        count < depth &&
        all.some((other) => other !== path && endOf(other, count) === endOf(path, count))
      )
        count++;
      return [path, endOf(path, count)];
    }),
  );
}
