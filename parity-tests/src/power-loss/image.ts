/**
 * Builds the files that a disk may hold after a power cut at one moment of a recording.
 *
 * An operation on a file survives when a sync of that file ended after it. Each other one is lost, survives, or, for a
 * write, survives in part. So unsynced writes are dropped and reordered freely, which a real disk may do.
 */
import { writeFileSync } from 'node:fs';
import type { Random } from '@twin-ingest/testkit/random.ts';
import type { Operation } from './recording.ts';

/** What happens to operations without a sync: all survive as after `kill -9`, none does, or chance decides. */
export type Survival = 'all' | 'none' | 'random';

const SECTOR = 512;

class GrowingFile {
  #bytes: Buffer;
  #size: number;

  constructor(first: Buffer) {
    this.#bytes = Buffer.from(first);
    this.#size = first.length;
  }

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, offset);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number): void {
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    else if (size > this.#size) this.write(size, Buffer.alloc(0));
    this.#size = size;
  }

  content(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

/** An operation that changes a file. */
export type Change = Exclude<Operation, { kind: 'sync' | 'acknowledge' }>;

/** The files of a database while one operation after the other changes them. */
export class GrowingImage {
  readonly #files: Map<string, GrowingFile>;

  /** @param base the files at the beginning, by suffix */
  constructor(base: ReadonlyMap<string, Buffer>) {
    this.#files = new Map([...base].map(([name, bytes]) => [name, new GrowingFile(bytes)]));
  }

  /** @param torn decides which part of a write survives; without it the whole write does */
  apply(operation: Change, torn?: Random): void {
    if (operation.kind === 'remove') {
      this.#files.delete(operation.file);
      return;
    }
    let file = this.#files.get(operation.file);
    if (file === undefined) {
      file = new GrowingFile(Buffer.alloc(0));
      this.#files.set(operation.file, file);
    }
    if (operation.kind === 'truncate') file.truncate(operation.size);
    else writePart(file, operation, torn);
  }

  /** Returns the files by suffix. They are views, which the next operation may change. */
  files(): Map<string, Buffer> {
    return new Map([...this.#files].map(([name, file]) => [name, file.content()]));
  }
}

function writePart(
  file: GrowingFile,
  { offset, bytes }: Extract<Operation, { kind: 'write' }>,
  torn: Random | undefined,
): void {
  if (torn === undefined || bytes.length <= SECTOR) {
    file.write(offset, bytes);
    return;
  }
  // A disk writes sectors whole. The cut is at the boundary of one.
  const cut = SECTOR * (1 + torn.below(Math.floor(bytes.length / SECTOR)));
  if (torn.chance(0.5)) file.write(offset, bytes.subarray(0, cut));
  else file.write(offset + cut, bytes.subarray(cut));
}

/** Returns the files after the operations before `position`, by suffix. */
export function imageAt(
  base: ReadonlyMap<string, Buffer>,
  operations: readonly Operation[],
  position: number,
  survival: Survival,
  random: Random,
): Map<string, Buffer> {
  const image = new GrowingImage(base);
  const synced = new Map<string, number>();
  for (let at = 0; at < position; at += 1) {
    const operation = operations[at]!;
    if (operation.kind === 'sync') synced.set(operation.file, at);
  }
  for (let at = 0; at < position; at += 1) {
    const operation = operations[at]!;
    if (operation.kind === 'sync' || operation.kind === 'acknowledge') continue;
    const isSynced = at < (synced.get(operation.file) ?? -1);
    if (!isSynced && (survival === 'none' || (survival === 'random' && random.chance(0.4)))) continue;
    const isTorn = !isSynced && survival === 'random' && random.chance(0.2);
    image.apply(operation, isTorn ? random : undefined);
  }
  return image.files();
}

/** Writes the files as a database of this path. */
export function writeImage(image: ReadonlyMap<string, Buffer>, db: string): void {
  for (const [suffix, bytes] of image) writeFileSync(`${db}${suffix}`, bytes, { mode: 0o600 });
}
