/**
 * What runs in the page `/bench/`: the page's own methods, one after the other.
 *
 * Each function is sent to the browser as text, so it uses nothing of this module.
 */

/** What is exported by `/bench/app.js` (`dashboard/src/bench`). */
interface BenchScript {
  readonly METHODS: readonly PageMethod[];
  runLap(
    method: PageMethod,
    address: string,
  ): Promise<{
    readonly lap: { readonly took: number; readonly block: number; readonly received: number };
    readonly bytes: ArrayBuffer;
  }>;
}

interface PageMethod {
  readonly name: string;
  readonly title: string;
  readonly form: string;
  readonly isSupported: boolean;
}

/** A method of the page at an address. */
export interface Lap {
  readonly method: string;
  readonly address: string;
}

export interface LapFound {
  readonly took_ms: number;
  readonly block_ms: number;
  readonly received_bytes: number;
  /** From `Server-Timing`; `null` where the page does not see it, as of a worker's request. */
  readonly encode_ms: number | null;
  /** SHA-256 of the result. */
  readonly hash: string;
}

export async function methodsInPage(script: string): Promise<PageMethod[]> {
  const { METHODS } = (await import(script)) as BenchScript;
  return METHODS.map(({ name, title, form, isSupported }) => ({ name, title, form, isSupported }));
}

export async function lapsInPage({
  script,
  laps,
}: {
  readonly script: string;
  readonly laps: readonly Lap[];
}): Promise<LapFound[]> {
  const { METHODS, runLap } = (await import(script)) as BenchScript;
  // The clock of a page has steps of 0.1 ms; what is below a microsecond is the arithmetic of doubles.
  const inMicroseconds = (ms: number) => Math.round(ms * 1000) / 1000;
  const found: LapFound[] = [];
  for (const { method, address } of laps) {
    const { lap, bytes } = await runLap(METHODS.find(({ name }) => name === method)!, address);
    const [entry] = performance.getEntriesByName(address, 'resource') as unknown as {
      readonly serverTiming: readonly { readonly name: string; readonly duration: number }[];
    }[];
    const encode = entry?.serverTiming.find(({ name }) => name === 'encode')?.duration;
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    found.push({
      took_ms: inMicroseconds(lap.took),
      block_ms: inMicroseconds(lap.block),
      received_bytes: lap.received,
      encode_ms: encode ?? null,
      hash: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    });
  }
  return found;
}
