/**
 * Selects the format of an answer by `Accept`, and that of a body by `Content-Type` (rules HTT-13 and BOD-02).
 *
 * Pure. Other modules render and read the formats.
 */
import { FORMATS, type RouteSpec } from '../contract.ts';
import { Failure } from '../error.ts';
import type { Format } from '../formats/index.ts';
import { type Head, headerOf, trimBlank } from './head.ts';

/** The form of an answer. */
export interface Answer {
  /** JSON where the route has no choice. */
  readonly format: Format;
  /** The selected media type, of the format or an alias. */
  readonly mediaType: string;
}

/** A media range with its weight (RFC 9110, section 12.5.1). */
interface Range {
  readonly media: string;
  readonly weight: number;
}

/** Media type of routes whose answers have their own media type, so that they ignore `Accept`. */
const ANY = '*/*';

/** A weight (RFC 9110, section 12.4.2). */
const WEIGHT = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** The media types of each route, computed once. */
const CHOICES = new WeakMap<RouteSpec, readonly Answer[]>();
const READS = new WeakMap<RouteSpec, readonly Answer[]>();

/** Returns whether `Accept` selects among the formats of the route. */
export function hasChoice(head: Head, route: RouteSpec): boolean {
  if (route.formats === undefined) return false;
  return !route.methods.includes('GET') || head.method === 'GET' || head.method === 'HEAD';
}

/** Returns the media type of the greatest weight, the first of equal ones (RFC 9110, section 12.5.1). */
export function chooseAnswer(head: Head, route: RouteSpec): Answer {
  if (route.produces === ANY) return { format: 'json', mediaType: ANY };
  const choices = hasChoice(head, route)
    ? kept(CHOICES, route, () => answersOf(route.formats))
    : [{ format: 'json', mediaType: route.produces } as const];
  const accept = headerOf(head, 'accept');
  if (accept === undefined || accept === '*/*') return choices[0]!;
  const ranges = accept.split(',').map(rangeOf);
  let best: Answer | undefined;
  let greatest = 0;
  for (const choice of choices) {
    const weight = weightOf(choice.mediaType, ranges);
    if (weight > greatest) [best, greatest] = [choice, weight];
  }
  if (best !== undefined) return best;
  throw new Failure('not_acceptable', { supported: choices.map(({ mediaType }) => mediaType) });
}

/** Returns the format of a body. */
export function contentFormat(head: Head, route: RouteSpec): Format {
  return contentChoice(head, route).format;
}

/** Returns the format of a body and its media type, for an answer in the same form (rule OTL-01). */
export function contentChoice(head: Head, route: RouteSpec): Answer {
  const choices = kept(READS, route, () => answersOf(route.reads));
  const values = head.headers.get('content-type') ?? [];
  const choice = values.length === 1 ? choiceOf(values[0]!, choices) : undefined;
  if (choice !== undefined) return choice;
  throw new Failure('unsupported_media_type', { supported: choices.map(({ mediaType }) => mediaType) });
}

function choiceOf(contentType: string, choices: readonly Answer[]): Answer | undefined {
  const text = contentType.toLowerCase();
  const end = text.includes(';') ? text.indexOf(';') : text.length;
  const essence = trimBlank(text.slice(0, end));
  const choice = choices.find(({ mediaType }) => mediaType === essence);
  if (choice === undefined) return undefined;
  const known = FORMATS[choice.format].parameter;
  const parameters = parametersOf(text.slice(end));
  const isOther = parameters?.some(([name, value]) => name === known?.name && value !== known.value) ?? true;
  return isOther ? undefined : choice;
}

/** Matches one parameter of a media type, which may be empty, in lower case (RFC 9110, section 5.6.6). */
const PARAMETER =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)=(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[\t !#-[\]-~]|\\[\t -~])*)"))?/y;

/** Returns the parameters of a media type, without quotes; `undefined` when they are malformed. */
function parametersOf(text: string): [name: string, value: string][] | undefined {
  const parameters: [string, string][] = [];
  PARAMETER.lastIndex = 0;
  let end = 0;
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    end = PARAMETER.lastIndex;
    const [, name, token, quoted = ''] = found;
    if (name !== undefined) parameters.push([name, token ?? quoted.replace(/\\(.)/g, '$1')]);
  }
  return trimBlank(text.slice(end)) === '' ? parameters : undefined;
}

/** Returns every media type of these formats. */
function answersOf(formats: readonly Format[] = []): Answer[] {
  return formats.flatMap((format) => FORMATS[format].media_types.map((mediaType) => ({ format, mediaType })));
}

/** Returns the cached value for a route. */
function kept(
  memory: WeakMap<RouteSpec, readonly Answer[]>,
  route: RouteSpec,
  make: () => readonly Answer[],
): readonly Answer[] {
  const known = memory.get(route);
  if (known !== undefined) return known;
  const made = make();
  memory.set(route, made);
  return made;
}

function rangeOf(item: string): Range {
  const [media, ...parameters] = item.toLowerCase().split(';').map(trimBlank);
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
  return { media: media!, weight: WEIGHT.test(weight) ? Number(weight) : 1 };
}

/**
 * Returns the weight of the most specific matching range, the first of equally specific ones; 0 when none matches.
 */
function weightOf(mediaType: string, ranges: readonly Range[]): number {
  for (const known of [mediaType, `${mediaType.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find(({ media }) => media === known);
    if (range !== undefined) return range.weight;
  }
  return 0;
}
