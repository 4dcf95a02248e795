/** The formats of `contract/formats.json`, by name and by media type. */
import FORMATS from '../../../contract/formats.json' with { type: 'json' };

export type Format = 'json' | 'ndjson' | 'msgpack' | 'protobuf' | 'arrow';
/** The formats that the routes of ingest read. */
export type RequestFormat = Exclude<Format, 'arrow'>;

export const REQUEST_FORMATS: readonly RequestFormat[] = ['json', 'ndjson', 'msgpack', 'protobuf'];
export const ANSWER_FORMATS: readonly Format[] = [...REQUEST_FORMATS, 'arrow'];

/** A format's own media type, which is the first of its list. */
export function mediaTypeOf(format: Format): string {
  return FORMATS.formats[format].media_types[0]!;
}

/** The format of a `Content-Type`, its parameters left out; nothing where no format has that media type. */
export function formatOf(contentType: string): Format | undefined {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  return ANSWER_FORMATS.find((format) => FORMATS.formats[format].media_types.includes(type));
}
