/**
 * The classes of faults that `pnpm test:faults` injects. A scenario names its classes in `faults`.
 *
 * Invariant: each class has a scenario or a reason in `UNTESTED`; a unit test compares them.
 */
export const FAULT_CLASSES = {
  F1: 'kill -9 at random moments under load',
  F2: 'kill -9 at one chosen write',
  F3: 'power loss: writes without a sync are lost, torn or reordered',
  F4: 'a sync fails',
  F5: 'a write fails',
  F6: 'the disk is full, and has space again',
  F7: 'a limit of the file size',
  F8: 'read-only files',
  F9: 'another process holds the write lock',
  F10: 'a reader holds the write-ahead log',
  F11: 'corrupt, truncated, empty and foreign files at a start',
  F12: 'the file is deleted or replaced while the server runs',
  F13: 'large bodies and little memory',
  F14: 'the process is stopped and continued',
  F15: 'clients that send too slowly',
  F16: 'clients that vanish without closing their connection',
  F17: 'stream clients that do not read',
  F18: 'too few file descriptors',
  F19: 'the clock jumps',
  F20: 'SIGTERM under load',
  F21: 'a slow disk',
  F22: 'a busy processor',
  F23: 'clients that repeat and cut their requests',
  F24: 'random failures of system calls',
  F25: 'a programming error inside a server',
} as const;

export type FaultClass = keyof typeof FAULT_CLASSES;

/** Why no scenario injects a class. At most three. */
export const UNTESTED: Readonly<Partial<Record<FaultClass, string>>> = {
  F16: 'needs a network namespace and a packet filter, which CI does not allow; F17 covers the same time-outs of a stream',
  F25: 'the servers contain no code that fails on request',
};
