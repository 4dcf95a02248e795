/**
 * The page's clock: one tick a second while somebody can see it, for ages, countdowns and the rate.
 *
 * Servers write their own time into what they store, so that ages are counted on theirs: `skew_ms` is how far it is
 * ahead, as far as a `Date` header, which has whole seconds, can tell.
 */
import { signal } from '@preact/signals';

/** The server's time, Unix milliseconds, at the last tick. */
export const now_ms = signal(Date.now());

let skew_ms = 0;
const hearers = new Set<() => void>();

/** Calls `heard` with every tick. */
export function onTick(heard: () => void): void {
  hearers.add(heard);
}

/** From a `Date` header; less than two seconds is what it cannot tell. */
export function setServerDate(header: string | null): void {
  const ahead_ms = Date.parse(header ?? '') - Date.now();
  skew_ms = Math.abs(ahead_ms) < 2000 || Number.isNaN(ahead_ms) ? 0 : ahead_ms;
}

/** The server's time, Unix milliseconds, now. */
export function serverNow(): number {
  return Date.now() + skew_ms;
}

let timer: ReturnType<typeof setInterval> | undefined;

export function startClock(): void {
  tick();
  timer ??= setInterval(tick, 1000);
}

export function stopClock(): void {
  clearInterval(timer);
  timer = undefined;
}

function tick(): void {
  now_ms.value = serverNow();
  for (const heard of hearers) heard();
}
