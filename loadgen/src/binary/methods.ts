/** DATA: which methods take part: those of the page `/bench/`, and some of them at other addresses. */
import type { MethodFacts } from './binary-result.ts';
import type { Lap } from './in-page.ts';

/** One method with its address. */
export interface Contestant extends MethodFacts {
  lap(bytes: number, hash: string): Lap;
}

/** A method of the page that reads the same bytes from elsewhere. */
interface Variant {
  readonly name: string;
  readonly title: string;
  /** Of the page. */
  readonly method: string;
  address(bytes: number, hash: string): string;
}

export const VARIANTS: readonly Variant[] = [];

/** The page's methods, each variant after the method that it is one of. */
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
      ({ name, title, address }): Contestant => ({
        name,
        title,
        form: method.form,
        lap: (bytes, hash) => ({ method: method.name, address: address(bytes, hash) }),
      }),
    ),
  ]);
}

/** Raw bytes, and base64 with the browser's own decoder. */
export function isFast({ name, form }: MethodFacts): boolean {
  return form === 'raw' || name.endsWith('from-base64');
}
