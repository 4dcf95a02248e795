/**
 * Runs in the thread of a backup: copies the database.
 *
 * The other half is `backups`. Only server-ts has this file: threads of Node share no objects.
 */
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { AttachmentFiles } from './attachment-files.ts';
import type { Backup, BackupData, BackupFailure } from './backups.ts';
import { CopyError, copyDatabase, removePartial } from './copy.ts';
import { fileCode, sqliteCode } from './failure.ts';

/** Runs the thread: sends the backup, or the reason why there is none. */
export function runBackup(port: MessagePort, data: BackupData): void {
  port.postMessage(copyInto(data));
}

function copyInto({ database, folder, name, nativeBinding }: BackupData): Backup | BackupFailure {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeLeftovers(folder);
    const file = join(folder, name);
    return { file, copied: copyDatabase(database, file, 'kept', nativeBinding) };
  } catch (error) {
    if (error instanceof CopyError && error.code !== 'exists') return { code: error.code };
    const isOfFile = sqliteCode(error) === undefined && 'code' in (error as object);
    return { code: isOfFile && !(error instanceof CopyError) ? fileCode(error) : 'storage_error' };
  }
}

/** Removes what killed servers left: partial files, and the folders of databases that never had their names. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const end = name.indexOf('.db.');
    if (end === -1) continue;
    const target = join(folder, name.slice(0, end + '.db'.length));
    removePartial(target);
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined)
      new AttachmentFiles(target, 'process').removeCopy();
  }
}
