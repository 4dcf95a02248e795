/**
 * Writes the waits of a session's agents (rules WAI-02 and WAI-05).
 *
 * Belongs to the writer's thread. Invariant: an event that neither starts nor ends a wait reads and writes no row
 * here.
 */
import { QUERIES } from '../queries.ts';
import type { WaitChange } from '../waits.ts';
import { type Connection, inOrder, Numbered, type Statement } from './connection.ts';

/** The table `session_waits`. It caches nothing, so a rollback undoes all of it. */
export class SessionWaits {
  private readonly deleteOne: Statement;
  private readonly deleteAll: Statement;
  private readonly upsert: Numbered;

  constructor(db: Connection) {
    this.deleteOne = db.prepare(inOrder(QUERIES.deleteSessionWait));
    this.deleteAll = db.prepare(inOrder(QUERIES.deleteSessionWaits));
    this.upsert = new Numbered(db, QUERIES.upsertSessionWait);
  }

  /** Ends waits, then starts one. `agentId` is empty for the main agent, and `now` is in Unix milliseconds. */
  change(session: number, agentId: string, change: WaitChange, eventId: number, now: number): void {
    const { ends, begins, needsAnswer, isReminder } = change;
    if (ends === 'agent') this.deleteOne.run(session, agentId);
    if (ends === 'session') this.deleteAll.run(session);
    if (begins === undefined) return;
    this.upsert.run(session, agentId, begins, Number(needsAnswer), now, eventId, Number(isReminder));
  }
}
