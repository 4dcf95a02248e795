/** Reads how full the disk of a file is, and whether the file may be written (rules HEA-02 and HEA-04). */
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { LIMITS } from '../contract.ts';

/** The space of a disk, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** Returns whether the dashboard warns: little of the disk is free (rule HEA-04). */
export function isLow({ freeBytes, sizeBytes }: DiskSpace): boolean {
  return freeBytes < Math.min(LIMITS.disk_low_bytes, Math.floor(sizeBytes / LIMITS.disk_low_share));
}

/** Returns whether the disk has no room for a write. */
export function isFull({ freeBytes }: DiskSpace): boolean {
  return freeBytes < LIMITS.disk_full_bytes;
}

/**
 * Returns the space of the disk that holds a file; `undefined` when the system does not report it. The reserve of the
 * root user does not count as free.
 */
export async function readDisk(path: string): Promise<DiskSpace | undefined> {
  try {
    const { bsize, bavail, blocks } = await statfs(path);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the system lets this process write a file. It does not on a read-only file system, and for an
 * immutable file.
 */
export async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
