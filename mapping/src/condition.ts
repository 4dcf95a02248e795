/** Tests whether a rule or a value applies: `match` and `unless` of contract/mapping.md. Pure. */
import { compilePath, type Path, type PathScope, type Source, textOf, valuesAt } from './path.ts';
import type { JsonObject, Place } from './problems.ts';

interface Condition {
  readonly path: Path;
  /** The texts that hold; `undefined` for any. */
  readonly texts: readonly string[] | undefined;
}

export interface Conditions {
  readonly match: readonly Condition[];
  readonly unless: readonly Condition[];
}

const ANY = '*';

/** Compiles the members `match` and `unless`. */
export function compileConditions(object: JsonObject, place: Place, scope: PathScope): Conditions {
  const list = (name: 'match' | 'unless'): Condition[] =>
    object[name] === undefined
      ? []
      : Object.entries(place.in(name).map(object[name])).map(([text, value]) => {
          const at = place.in(name).in(text);
          const texts = at.oneOrMore(value);
          return { path: compilePath(text, at, scope), texts: texts.includes(ANY) ? undefined : texts };
        });
  return { match: list('match'), unless: list('unless') };
}

export function applies({ match, unless }: Conditions, source: Source): boolean {
  return match.every((one) => holds(one, source)) && !unless.some((one) => holds(one, source));
}

/** Returns whether there is no condition. */
export function isAlways({ match, unless }: Conditions): boolean {
  return match.length === 0 && unless.length === 0;
}

function holds({ path, texts }: Condition, source: Source): boolean {
  return valuesAt(source, path).some((value) => {
    if (texts === undefined) return true;
    const text = textOf(value);
    return text !== undefined && texts.includes(text);
  });
}
