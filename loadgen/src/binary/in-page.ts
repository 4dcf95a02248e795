/**
 * Functions that run in the page `/bench/`: they call the page's own methods, one after the other.
 *
 * Each function is sent to the browser as text. It must not use anything else of this module.
 */

/** The exports of `/bench/app.js` (`dashboard/src/bench`). */
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

/** One run of a page's method at an address. */
export interface Lap {
  readonly method: string;
  readonly address: string;
}

export interface LapFound {
  readonly took_ms: number;
  readonly block_ms: number;
  readonly received_bytes: number;
  /** Time from `Server-Timing`; `null` if the page cannot read it, as for a worker's request. */
  readonly encode_ms: number | null;
  /** SHA-256 of the result. */
  readonly hash: string;
}

/** The browser's performance entry of one request. */
interface Entry {
  readonly startTime: number;
  readonly encodedBodySize: number;
  readonly serverTiming: readonly { readonly name: string; readonly duration: number }[];
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
  // The clock of a page has steps of 0.1 ms. Digits below a microsecond are rounding errors of doubles.
  const inMicroseconds = (ms: number) => Math.round(ms * 1000) / 1000;
  // The browser adds the entry of a request some time after the response. A worker's request has no entry in the page.
  const entrySince = async (address: string, since: number): Promise<Entry | undefined> => {
    for (let turn = 0; turn < 10; turn++) {
      const entries = performance.getEntriesByName(address, 'resource') as unknown as Entry[];
      const entry = entries.find(({ startTime }) => startTime >= since);
      if (entry !== undefined) return entry;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return undefined;
  };
  const found: LapFound[] = [];
  for (const { method, address } of laps) {
    const since = performance.now();
    const { lap, bytes } = await runLap(METHODS.find(({ name }) => name === method)!, address);
    const entry = await entrySince(address, since);
    const encode = entry?.serverTiming.find(({ name }) => name === 'encode')?.duration;
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    found.push({
      took_ms: inMicroseconds(lap.took),
      block_ms: inMicroseconds(lap.block),
      received_bytes: entry?.encodedBodySize ?? lap.received,
      encode_ms: encode ?? null,
      hash: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    });
  }
  return found;
}
