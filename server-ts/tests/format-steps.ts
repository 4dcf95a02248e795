/** What the tests of the formats share: bytes, faults, and generators that run to their end. */
import type { Failure } from '../src/error.ts';

export function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/** The message of the fault that a check finds; nothing where it passes. */
export function faultOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Failure).members.reason as string;
  }
}

/** Runs all slices; the result behind the last one. */
export function run<T>(slices: Generator<void, T>): T {
  let step = slices.next();
  while (!step.done) step = slices.next();
  return step.value;
}
