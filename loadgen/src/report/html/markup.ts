/**
 * Builds HTML from templates. `html` escapes every inserted value that is not Markup itself.
 *
 * Invariant: text of a result never becomes markup. Only this file creates Markup from a string.
 */

export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Markup | null | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, i) => text + (i < parts.length ? shown(parts[i]!) : '')).join(''));
}

/** Returns Markup of a text that a library has already escaped. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function shown(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(shown).join('');
  return escaped(String(part));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
