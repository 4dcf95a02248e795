/**
 * Measures the methods in turn, each round in another order.
 *
 * The first method pays for warm-up, and the garbage of one method is collected during the next, so the order
 * changes. Invariant: all results have the same SHA-256, or the race fails.
 */
import { addressOf, METHODS, type Method } from './methods.ts';

/** One method in one round. */
export interface Lap {
  readonly method: string;
  /** Milliseconds from the request to the `ArrayBuffer`. */
  readonly took: number;
  /** The longest time in milliseconds without a turn of the main thread. */
  readonly block: number;
  /** Size of the encoded answer body. */
  readonly received: number;
}

/** Runs this many rounds over blobs of a size, and reports each lap as it ends. Warm-up rounds do not count. */
export async function race(
  size: number,
  rounds: number,
  onLap: (lap: Lap, round: number) => void,
  methods: readonly Method[] = METHODS,
): Promise<void> {
  const able = methods.filter(({ isSupported }) => isSupported);
  let known: string | undefined;
  for (let round = 0; round <= rounds; round++) {
    for (let place = 0; place < able.length; place++) {
      const method = able[(place + round) % able.length]!;
      const { lap, bytes } = await runLap(method, addressOf(method.form, size));
      const hash = await hashOf(bytes);
      known ??= hash;
      if (hash !== known || bytes.byteLength !== size) throw new Error(`${method.name}: other bytes`);
      if (round > 0) onLap(lap, round);
    }
  }
}

/** Runs one method once. */
export async function runLap(method: Method, address: string): Promise<{ lap: Lap; bytes: ArrayBuffer }> {
  performance.clearResourceTimings();
  const blocks = watchBlocks();
  const started = performance.now();
  const bytes = await method.read(address);
  const took = performance.now() - started;
  const block = blocks();
  return {
    lap: { method: method.name, took, block, received: receivedOf(address) ?? bytes.byteLength },
    bytes,
  };
}

/** Returns the browser's record of the answer's length, which excludes requests of a worker. */
function receivedOf(address: string): number | undefined {
  const [entry] = performance.getEntriesByName(new URL(address, location.href).href, 'resource');
  return entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : undefined;
}

/** Starts to measure the longest gap between two turns of the event loop; the returned function ends it. */
function watchBlocks(): () => number {
  let last = performance.now();
  let longest = 0;
  let isOver = false;
  const channel = new MessageChannel();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    // A pause between two turns, so that the measurement does not compete with the measured work.
    if (!isOver) setTimeout(() => channel.port2.postMessage(undefined), 1);
  };
  channel.port1.onmessage = look;
  channel.port2.postMessage(undefined);
  return () => {
    isOver = true;
    look();
    channel.port1.close();
    return longest;
  };
}

async function hashOf(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a percentile by the nearest-rank method. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
