/**
 * Changes of what a server stores: deletions and backups.
 *
 * A request is not repeated. It rejects on failure, with a `RefusedError` if the server refused it. `request_ms` covers
 * the whole deletion or backup.
 */
import type { Backup, Deleted } from './contract.ts';
import { type ReadOptions, read } from './read.ts';

type ManageOptions = Omit<ReadOptions<never>, 'query'>;

/** Deletes the events with a smaller id than `before` (RET-04). */
export const deleteEvents = (options: ManageOptions & { readonly before: number }): Promise<Deleted> =>
  read('events', options, { before: options.before }, 'DELETE');

/** Deletes a session with its events (RET-04). */
export const deleteSession = (options: ManageOptions & { readonly id: string }): Promise<Deleted> =>
  read(`sessions/${encodeURIComponent(options.id)}`, options, {}, 'DELETE');

/** Makes a backup next to the database (BAK-07). */
export const backup = (options: ManageOptions = {}): Promise<Backup> => read('backup', options, {}, 'POST');
