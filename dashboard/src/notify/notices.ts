/**
 * Finds what the user should know in the state of the page (rule NOT-02 as far as the page knows).
 *
 * A session needs an answer, has finished or has failed, or the day's cost is above the budget.
 *
 * Pure. Invariant: what the page shows when the notifications begin is no news.
 */
import type { Health, Row, Session } from '../api.ts';

/** Work that took less is not reported as finished, as in the default of `--webhook-finish-minutes`. */
const FINISH_MS = 5 * 60_000;
/** Failures of one session within this time are one. */
const FAILURE_MS = 5 * 60_000;

export interface PageNotice {
  /** Two notices with the same tag are one. */
  readonly tag: string;
  readonly text: string;
  /** The session of the notice; null for the budget. */
  readonly session: string | null;
}

/** A session, and how the page names what it waits for. */
export interface Observed {
  readonly session: Session;
  readonly needsAnswer: boolean;
  readonly title: string;
  readonly ask: string;
}

type Budget = Health['budget'];

/** What was already seen. */
export class PageNotices {
  /** The begin of the wait of each session that needs an answer. */
  private waits: ReadonlyMap<string, string | null> | undefined;
  /** The begin of the work of each session; null once it has ended. */
  private readonly works = new Map<string, number | null>();
  private newestFailure: number | undefined;
  private readonly failedAt = new Map<string, number>();
  private passedDay: string | undefined;
  private knowsBudget = false;

  /** Takes the sessions of the page. */
  ofSessions(sessions: readonly Observed[]): PageNotice[] {
    const { waits } = this;
    const asking = sessions.filter(({ needsAnswer }) => needsAnswer);
    this.waits = new Map(asking.map(({ session }) => [session.id, session.waiting_since]));
    const finished = sessions.flatMap((one) => this.ofWork(one, waits === undefined) ?? []);
    if (waits === undefined) return [];
    const news = asking.filter(({ session: { id, waiting_since } }) => waits.get(id) !== waiting_since);
    return [
      ...news.map(({ session: { id, waiting_since }, title, ask }) => {
        return { tag: `waiting ${id} ${waiting_since}`, text: `${title}: ${ask}`, session: id };
      }),
      ...finished,
    ];
  }

  /** Takes the newest errors, in any order. */
  ofFailures(rows: readonly Row[], titleOf: (session: string) => string): PageNotice[] {
    const { newestFailure: known } = this;
    this.newestFailure = Math.max(known ?? 0, ...rows.map(({ id }) => id));
    if (known === undefined) return [];
    const news = rows.filter(
      ({ id, event_type, history }) => !history && id > known && event_type === 'error',
    );
    return news
      .toSorted((a, b) => a.id - b.id)
      .flatMap(({ id, session_id, time }) => {
        const at = Date.parse(time);
        const isRepeated = at - (this.failedAt.get(session_id) ?? 0) < FAILURE_MS;
        if (isRepeated) return [];
        this.failedAt.set(session_id, at);
        return [
          { tag: `failed ${id}`, text: `${titleOf(session_id)}: reports an error`, session: session_id },
        ];
      });
  }

  /** Takes the server's budget. */
  ofBudget(budget: Budget): PageNotice[] {
    const isNew = this.knowsBudget;
    this.knowsBudget = true;
    if (budget == null || budget.cost_usd <= budget.usd_day || budget.day === this.passedDay) return [];
    this.passedDay = budget.day;
    const text = `${budgetText(budget)}: above the budget`;
    return isNew ? [{ tag: `budget ${budget.day}`, text, session: null }] : [];
  }

  private ofWork({ session, needsAnswer, title }: Observed, isFirst: boolean): PageNotice | undefined {
    const { id, waiting_reason, waiting_since, started_at, live_at, ended_at } = session;
    // History, such as an import, is no work that someone waits for.
    if (live_at === null) {
      this.works.set(id, null);
      return undefined;
    }
    const isDone = ended_at !== null || (waiting_reason !== null && !needsAnswer);
    const began = this.works.get(id);
    if (!isDone) {
      // A session that was idle began to work with the event that the page has just received.
      if (began === undefined) this.works.set(id, Date.parse(started_at));
      else if (began === null) this.works.set(id, Date.parse(live_at));
      return undefined;
    }
    this.works.set(id, null);
    if (isFirst || began == null) return undefined;
    const took_ms = Date.parse(ended_at ?? waiting_since ?? live_at) - began;
    if (took_ms <= FINISH_MS) return undefined;
    const text = `${title}: finished after ${Math.floor(took_ms / 60_000)} min`;
    return { tag: `finished ${id} ${live_at}`, text, session: id };
  }
}

/** Formats the cost of a day and its budget as `3.20 of 10.00 USD`. */
export function budgetText({ cost_usd, usd_day }: NonNullable<Budget>): string {
  return `${cost_usd.toFixed(2)} of ${usd_day.toFixed(2)} USD today`;
}
