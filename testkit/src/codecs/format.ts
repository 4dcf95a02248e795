/** Looks up the formats of `contract/formats.json` by name and by media type. */
import FORMATS from '../../../contract/formats.json' with { type: 'json' };

export type Format = 'json' | 'ndjson' | 'msgpack' | 'protobuf' | 'arrow';
/** The formats that the ingest routes read. */
export type RequestFormat = Exclude<Format, 'arrow'>;

export const REQUEST_FORMATS: readonly RequestFormat[] = ['json', 'ndjson', 'msgpack', 'protobuf'];
export const ANSWER_FORMATS: readonly Format[] = [...REQUEST_FORMATS, 'arrow'];

/** Returns a format's primary media type, the first of its list. */
export function mediaTypeOf(format: Format): string {
  return FORMATS.formats[format].media_types[0]!;
}

/** Returns the format of a `Content-Type`, ignoring parameters; `undefined` for an unknown media type. */
export function formatOf(contentType: string): Format | undefined {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  return ANSWER_FORMATS.find((format) => FORMATS.formats[format].media_types.includes(type));
}
