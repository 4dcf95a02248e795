/** Handles `/api/backup` (rule BAK-07). */
import type { App } from '../app.ts';
import { nowMs } from '../clock.ts';
import { Failure } from '../error.ts';
import type { Exchange } from './exchange.ts';
import { backup } from './reply.ts';

/** `POST /api/backup` (rule BAK-07). */
export async function postBackup(app: App, exchange: Exchange): Promise<void> {
  const made = await app.store.backups.makeBackup(nowMs());
  if ('code' in made) throw new Failure(made.code);
  backup(exchange, made);
}
