/**
 * HTML that cannot be broken out of: whatever is put into `html` is escaped unless it is markup itself.
 *
 * Invariant: text of a result never becomes markup; only this file makes a Markup of a string.
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

/** Markup that a library made, with its own escaping. */
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
