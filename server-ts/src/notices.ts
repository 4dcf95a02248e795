/**
 * Decides which signals are notifications, and writes their bodies (rules NOT-01 and NOT-02).
 *
 * Pure. It knows when the work of a session began, for a bounded number of sessions. Invariant: the signals of one
 * database give the same notifications on both servers.
 */
import { centsOf, type Day, dollarsText } from './budget.ts';
import { fill, LIMITS, VOCABULARY } from './contract.ts';
import type { Signal } from './store/signals.ts';
import { formatTimestamp } from './timestamp.ts';
import type { Zone } from './zones.ts';

const MINUTE_MS = 60_000;
const {
  reasons_that_need_an_answer: REASONS,
  notifications: { types: TYPES, messages: MESSAGES },
} = VOCABULARY;

/** The kinds of notifications (rule NOT-02). */
type NoticeKind = keyof typeof TYPES;

/** One notification. */
export interface Notice {
  /** The same for each attempt. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

/** What a notification depends on. */
export interface NoticeRules {
  /** The server's URL. */
  readonly origin: string;
  /** The database's UUID. */
  readonly epoch: string;
  /** Only longer work is reported as finished. */
  readonly finishMinutes: number;
  /** The budget of a day in cents. */
  readonly budgetCents: number | undefined;
  /** In which a day begins at midnight. */
  readonly zone: Zone;
}

/** The work of a session. */
interface Work {
  /** Its beginning in Unix milliseconds; `undefined` after its end. */
  readonly began: number | undefined;
  /** The event that reported its first failure. */
  readonly failed: number | undefined;
}

/** The state of all sessions with recent signals, and of the budget. */
export class Notices {
  private readonly rules: NoticeRules;
  /** By the key of their session, oldest first. */
  private readonly works = new Map<number, Work>();
  /** The date on which the cost was above the budget. */
  private passed = '';

  /** Starts without known sessions. */
  constructor(rules: NoticeRules) {
    this.rules = rules;
  }

  /** Takes the next signal; returns its notification, if it is one. */
  observe(signal: Signal): Notice | undefined {
    const { kind, id, at, agent, project, session_id: session } = signal;
    const work = this.works.get(signal.key) ?? { began: signal.started_at, failed: undefined };
    const place = `/#/session/${encodeURIComponent(session)}`;
    const notice = (kind: NoticeKind, message: string, minutes = 0): Notice => {
      const text = fill(message, { minutes, agent });
      return this.notice(kind, String(id), at, { session, project, agent }, text, place);
    };
    switch (kind) {
      case 'prompt':
        this.keep(signal.key, { began: at, failed: undefined });
        return undefined;
      case 'waiting':
        this.keep(signal.key, work);
        return isAsked(signal.reason) ? notice(kind, MESSAGES[signal.reason]) : undefined;
      case 'failed':
        this.keep(signal.key, { ...work, failed: work.failed ?? id });
        return work.failed === undefined ? notice(kind, MESSAGES.failed) : undefined;
      case 'finished': {
        const tookMs = work.began === undefined ? 0 : at - work.began;
        this.keep(signal.key, { began: undefined, failed: undefined });
        if (tookMs <= this.rules.finishMinutes * MINUTE_MS || work.failed === id) return undefined;
        return notice(kind, MESSAGES.finished, Math.floor(tookMs / MINUTE_MS));
      }
    }
  }

  /** Takes the cost of a day in US dollars; returns a notification the first time that it is above the budget. */
  spend(day: Day, usd: number, nowMs: number): Notice | undefined {
    const { budgetCents } = this.rules;
    if (budgetCents === undefined || usd <= budgetCents / 100 || this.passed === day.date) return undefined;
    this.passed = day.date;
    const [cost, budget] = [dollarsText(centsOf(usd)), dollarsText(budgetCents)];
    const text = fill(MESSAGES.budget, { cost, day: day.date, budget });
    return this.notice('budget', day.date, nowMs, { session: null, project: null, agent: null }, text, '/');
  }

  private keep(key: number, work: Work): void {
    this.works.set(key, work);
    if (this.works.size <= LIMITS.notice_sessions) return;
    for (const oldest of this.works.keys()) {
      this.works.delete(oldest);
      break;
    }
  }

  private notice(
    kind: NoticeKind,
    id: string,
    at: number,
    of: Readonly<Record<'session' | 'project' | 'agent', string | null>>,
    message: string,
    place: string,
  ): Notice {
    const { origin, epoch } = this.rules;
    const { session, project, agent } = of;
    const timestamp = formatTimestamp(at);
    const url = `${origin}${place}`;
    const body = JSON.stringify({ type: TYPES[kind], timestamp, session, project, agent, message, url });
    return { id: `msg_${epoch}_${id}_${kind}`, body };
  }
}

/** Returns whether a wait has a reason that needs an answer, so that it has a message. */
function isAsked(reason: string | null): reason is (typeof REASONS)[number] {
  return (REASONS as readonly (string | null)[]).includes(reason);
}
