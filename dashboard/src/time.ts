/**
 * The dashboard's clock: one tick a second while it is visible, for ages, countdowns and the rate.
 *
 * Servers store their own time, so ages use it: `skew_ms` is the server's lead, within the precision of a `Date`
 * header, which has whole seconds.
 */
import { signal } from '@preact/signals';

/** The server's time at the last tick, in Unix milliseconds. */
export const now_ms = signal(Date.now());

let skew_ms = 0;
const hearers = new Set<() => void>();

/** Calls `heard` with every tick. */
export function onTick(heard: () => void): void {
  hearers.add(heard);
}

/** Updates the server's lead from a `Date` header. A difference below two seconds is within the header's precision. */
export function setServerDate(header: string | null): void {
  const ahead_ms = Date.parse(header ?? '') - Date.now();
  skew_ms = Math.abs(ahead_ms) < 2000 || Number.isNaN(ahead_ms) ? 0 : ahead_ms;
}

/** Returns the server's current time, in Unix milliseconds. */
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
