/**
 * The format Protobuf (FMT-06 to FMT-08), written with `BinaryWriter` of @bufbuild/protobuf, which the program must
 * install.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { bytesOf } from './answer-bytes.ts';
import type { Format, PageFormat } from './format.ts';
import { checkText, joined } from './pieces.ts';
import { readPage } from './protobuf-page.ts';
import { WIRE_FIELDS } from './wire-fields.ts';

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const UTF8 = new TextEncoder();
const type = 'application/protobuf';

export const protobuf: Format & PageFormat = {
  type,
  event(event) {
    const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
    for (const [name, kind, number, words = []] of WIRE_FIELDS) {
      const value = event[name];
      if (value === undefined || value === null) continue;
      switch (kind) {
        case 'text':
          if (typeof value !== 'string') throw new TypeError(`${name}: must be a string`);
          checkText(name, value);
          writer.tag(number, WireType.LengthDelimited).string(value);
          break;
        case 'choice': {
          const place = words.indexOf(value as string) + 1;
          if (place === 0) throw new TypeError(`${name}: must be one of: ${words.join(', ')}`);
          writer.tag(number, WireType.Varint).uint32(place);
          break;
        }
        case 'integer':
          if (!Number.isSafeInteger(value) || (value as number) < 0)
            throw new TypeError(`${name}: must be a non-negative integer`);
          writer.tag(number, WireType.Varint).uint64(value as number);
          break;
        case 'dollars':
          if (!Number.isFinite(value)) throw new TypeError(`${name}: must be a finite number`);
          writer.tag(number, WireType.Bit64).double(value as number);
          break;
        case 'timestamp':
          writer.tag(number, WireType.Varint).int64(milliseconds(name, value));
          break;
        case 'json': {
          const text = JSON.stringify(value);
          if (text !== undefined) writer.tag(number, WireType.LengthDelimited).bytes(UTF8.encode(text));
        }
      }
    }
    return writer.join().finish();
  },
  batch: joined,
  page: async (response) => readPage(await bytesOf(response, type)),
};

/**
 * Returns the milliseconds of a timestamp. `Date.parse` accepts more than RFC 3339, and reads 30 February as 2 March.
 */
function milliseconds(name: string, value: unknown): number {
  const text = String(value).toUpperCase();
  const [, day] = DATE_TIME.exec(text) ?? [];
  const begin = new Date(`${day}T00:00:00Z`);
  if (typeof value !== 'string' || Number.isNaN(begin.getTime()) || !begin.toISOString().startsWith(day!))
    throw new TypeError(`${name}: must be a valid timestamp`);
  return Date.parse(text);
}
