/**
 * Writes a value as its canonical JSON text (rule FMT-05; RFC 8785, section 3.2.3).
 *
 * Pure. Invariant: a value is nested at most as deep as a body, which was checked, so this may recurse.
 */

/** The text of a value that the library decoded: maps are `Map`, long integers are bigints. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Map) {
    // Ordered by UTF-16 code units, as `sort` does it.
    const names = [...(value as Map<string, unknown>).keys()].sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value.get(name))}`).join(',')}}`;
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
