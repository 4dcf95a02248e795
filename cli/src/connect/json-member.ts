/**
 * Adds and removes one member of a JSON settings file by the template of a recipe.
 *
 * Invariant: a member of the user is never changed. Ours is recognised by its value, since the agent may write its
 * settings anew.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Change, TextEdit } from './agent.ts';
import { appended, without } from './json-edit.ts';
import { type JsonObject, readMember } from './json-object.ts';
import type { MemberRecipe } from './recipe.ts';

const ORIGIN = '{origin}';

/** Returns the member for a server. */
export function memberFor({ value }: MemberRecipe, origin: string): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one === ORIGIN ? origin : one]));
}

/** Returns the key that has the address of the server. */
export function originKey({ value }: MemberRecipe): string {
  return Object.keys(value).find((key) => value[key] === ORIGIN)!;
}

/** Returns whether the member equals one that this program writes, for any server. */
export function isWritten(recipe: MemberRecipe, member: JsonObject): boolean {
  return isDeepStrictEqual(member, memberFor(recipe, String(member[originKey(recipe)])));
}

export function withMember(
  text: string,
  recipe: MemberRecipe,
  origin: string,
  hasComments: boolean,
): TextEdit {
  const { name } = recipe;
  const wanted = memberFor(recipe, origin);
  const present = readMember(text, name, hasComments);
  if (present !== undefined && isDeepStrictEqual(present, wanted)) return { text, changes: [] };
  const { text: cleared, changes } = withoutMember(text, recipe, hasComments);
  if (readMember(cleared, name, hasComments) !== undefined)
    return { text, changes: [changeOf('conflict', name, present!)] };
  return {
    text: appended(cleared, [], wanted, name),
    changes: [...changes, changeOf('add', name, wanted)],
  };
}

/** Removes the member that we wrote, for any server. */
export function withoutMember(text: string, recipe: MemberRecipe, hasComments: boolean): TextEdit {
  const { name } = recipe;
  const present = readMember(text, name, hasComments);
  if (present === undefined || typeof present[originKey(recipe)] !== 'string') return { text, changes: [] };
  if (!isWritten(recipe, present)) return { text, changes: [changeOf('keep', name, present)] };
  return { text: without(text, [name]), changes: [changeOf('remove', name, present)] };
}

function changeOf(kind: Change['kind'], name: string, member: JsonObject): Change {
  return { kind, name, value: JSON.stringify(member) };
}
