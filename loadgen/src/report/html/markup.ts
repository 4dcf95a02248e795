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
  return new Markup(String.raw({ raw: strings }, ...parts.map(shown)));
}

/** Returns Markup of a text that a library has already escaped. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function shown(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(shown).join('');
  return String(part).replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}
