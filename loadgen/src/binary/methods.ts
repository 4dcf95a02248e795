/** DATA: the methods that are measured: those of the page `/bench/`, and some of them at other addresses. */

import type { Lap } from './in-page.ts';
import type { MethodFacts } from './result.ts';

/** One method with its address. */
export interface Contestant extends MethodFacts {
  lap(bytes: number, hash: string): Lap;
}

/** A method of the page that reads the same bytes from another address. */
interface Variant {
  readonly name: string;
  readonly title: string;
  readonly form: string;
  /** Name of the page's method. */
  readonly method: string;
  address(hash: string): string;
}

export const VARIANTS: readonly Variant[] = [
  // The server reads the file within the measured time, as the original did.
  {
    name: 'file-array-buffer',
    title: 'raw from a file, arrayBuffer()',
    form: 'file',
    method: 'raw-array-buffer',
    address: (hash) => `/api/attachments/${hash}`,
  },
];

/** Returns the page's methods, each followed by its variants. */
export function contestantsOf(methods: readonly MethodFacts[]): Contestant[] {
  return methods.flatMap((method) => [
    {
      ...method,
      lap: (bytes) => ({
        method: method.name,
        address: `/bench/blob?size=${bytes}&as=${method.form}`,
      }),
    },
    ...VARIANTS.filter((variant) => variant.method === method.name).map(
      ({ name, title, form, address }): Contestant => ({
        name,
        title,
        form,
        lap: (_, hash) => ({ method: method.name, address: address(hash) }),
      }),
    ),
  ]);
}

/** Methods that decode Base64 with the browser's own decoder. */
const FAST_BASE64: readonly string[] = ['base64-from-base64', 'base64-stream', 'json-from-base64'];

/** Returns whether a method reads raw bytes, a file, or Base64 in a fast way. */
export function isFast({ name, form }: MethodFacts): boolean {
  return form === 'raw' || form === 'file' || FAST_BASE64.includes(name);
}
