/**
 * What a hostile or careless client, file or name may do, as `pnpm test:attack` does it. A scenario names its classes in
 * `attacks`.
 *
 * Invariant: each class has a scenario and a row in SECURITY.md; a unit test compares them.
 */
export const ATTACK_CLASSES = {
  X1: 'attachments next to a missing, empty, older or foreign database',
  X2: 'kills and full disks during a backup, a restore and a load',
  X3: 'one content in many attachments, and files that are smaller than a block',
  X4: 'deletions of many events, attachments and names at once',
  X5: 'messages of a stream, and lines of a dump, that no server writes',
  X6: 'rows of megabytes in pages, replays, snapshots and batches of calls',
  X7: 'bodies and uploads that are declared and do not arrive',
  X8: 'texts to search for that repeat themselves, and clients that leave',
  X9: 'names without end, and pairs of them',
  X10: 'text that a terminal obeys, and passwords in URLs',
  X11: 'secrets in events, and what looks like them',
  X12: 'clocks outside of the years that a server can store',
  X13: 'bodies that two parsers may read in two ways',
  X14: 'requests without end, of clients that do not read the answers',
  X15: 'records of agents with values that no agent sends',
} as const;

export type AttackClass = keyof typeof ATTACK_CLASSES;
