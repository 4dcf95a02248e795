/**
 * Follows the newest committed id, and sends notifications of what it means (rules NOT-01 to NOT-05).
 *
 * It starts at the newest event of the start, so a restart sends nothing twice. Invariants: a round reads a bounded
 * number of events, and ingest waits neither for a read nor for a delivery.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { dayOf } from './budget.ts';
import { nowMs, nowS } from './clock.ts';
import { LIMITS, TUNING } from './contract.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import type { Endpoint } from './endpoint.ts';
import type { Log } from './log.ts';
import type { Meters } from './meters.ts';
import { type Notice, type NoticeRules, Notices } from './notices.ts';
import type { DayCost, Signal } from './store/signals.ts';
import { Webhook } from './webhook.ts';
import type { Zone } from './zones.ts';

/** The parts of the store that the notifier needs. */
export interface SignalSource {
  readonly newest: number;
  readonly meters: Pick<Meters, 'countNotice'>;
  signals(after: number, newest: number): Promise<readonly Signal[]>;
  dayCost(startS: number, endS: number): Promise<DayCost>;
}

/** Sends the notifications of one server. */
export class Notifier {
  private readonly source: SignalSource;
  private readonly webhook: Webhook;
  private readonly hasBudget: boolean;
  /** In which a day begins at midnight. */
  private readonly zone: Zone;
  private readonly log: Log;
  private readonly notices: Notices;
  private readonly deliveries = new Deliveries();
  private readonly end = new AbortController();
  private cursor: number;
  private isFollowing = false;
  private isDelivering = false;
  private isSending = false;
  /** Ends the wait for the next attempt. */
  private pushed = new AbortController();

  private constructor(source: SignalSource, endpoint: Endpoint, rules: NoticeRules, log: Log) {
    this.source = source;
    this.webhook = new Webhook(endpoint, log);
    this.hasBudget = rules.budgetCents !== undefined;
    this.zone = rules.zone;
    this.log = log;
    this.notices = new Notices(rules);
    this.cursor = source.newest;
  }

  /** Starts after the newest event. A budget that is already passed is not reported again on this day. */
  static async start(
    source: SignalSource,
    endpoint: Endpoint,
    rules: NoticeRules,
    log: Log,
  ): Promise<Notifier> {
    const notifier = new Notifier(source, endpoint, rules, log);
    // After a failed read the budget may be reported once more.
    await notifier.spend().catch((error: unknown) => notifier.logFailure(error));
    return notifier;
  }

  /** Whether an attempt was in progress at the end; the look-up of its host may last longer than the attempt. */
  get wasSending(): boolean {
    return this.end.signal.aborted && this.isSending;
  }

  /** Called when the newest committed id has risen. */
  published(): void {
    if (!this.isFollowing) void this.follow();
  }

  /** Ends the attempt in progress; waiting notifications are dropped. */
  close(): void {
    this.end.abort();
    this.pushed.abort();
  }

  private async follow(): Promise<void> {
    this.isFollowing = true;
    while (this.cursor < this.source.newest && !this.end.signal.aborted) {
      const { newest } = this.source;
      const end = Math.min(newest, this.cursor + TUNING.notice_page_events);
      let pauseMs = end === newest ? TUNING.notice_interval_ms : 0;
      try {
        await this.round(this.cursor, end);
        this.cursor = end;
      } catch (error) {
        this.logFailure(error);
        pauseMs = TUNING.storage_watch_ms;
      }
      if (pauseMs > 0) await this.pause(pauseMs, this.end.signal);
    }
    this.isFollowing = false;
  }

  /** Reads the signals above an id up to another one, and queues their notifications. */
  private async round(after: number, end: number): Promise<void> {
    const signals = await this.source.signals(after, end);
    const found = signals.flatMap((signal) => this.notices.observe(signal) ?? []);
    const ofBudget = await this.spend().catch((error: unknown) => this.logFailure(error));
    for (const notice of ofBudget === undefined ? found : [...found, ofBudget]) this.push(notice);
  }

  /** Returns the notification of a budget that the day's cost has just passed. */
  private async spend(): Promise<Notice | undefined> {
    if (!this.hasBudget) return undefined;
    const now = nowMs();
    const day = dayOf(this.zone, now);
    const { usd } = await this.source.dayCost(day.startS, day.endS);
    return this.notices.spend(day, usd, now);
  }

  private push(notice: Notice): void {
    if (!this.deliveries.push(notice, performance.now())) {
      this.log.warn({ id: notice.id }, 'a notification was dropped, because too many wait');
      this.source.meters.countNotice('dropped');
      return;
    }
    this.pushed.abort();
    if (!this.isDelivering) void this.deliver();
  }

  private async deliver(): Promise<void> {
    this.isDelivering = true;
    for (;;) {
      const due = this.deliveries.nextDue();
      if (due === undefined || this.end.signal.aborted) break;
      const delivery = this.deliveries.take(performance.now());
      if (delivery !== undefined) {
        await this.attempt(delivery);
        continue;
      }
      // A new notification is due at once.
      this.pushed = new AbortController();
      await this.pause(Math.max(0, Math.ceil(due - performance.now())), this.pushed.signal);
    }
    this.isDelivering = false;
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const until = AbortSignal.any([this.end.signal, AbortSignal.timeout(LIMITS.webhook_timeout_ms)]);
    this.isSending = true;
    const refusal = await this.webhook.post(delivery.notice, nowS(), until);
    if (this.end.signal.aborted) return;
    this.isSending = false;
    if (refusal === undefined) return this.source.meters.countNotice('delivered');
    const { notice, attempts } = delivery;
    const isLeft = this.deliveries.retry(delivery, performance.now());
    this.source.meters.countNotice(isLeft ? 'retried' : 'failed');
    const status = refusal === 'unreachable' ? undefined : refusal;
    const facts = { id: notice.id, attempt: attempts + 1, status, is_left: isLeft };
    this.log.warn(facts, 'a notification was not delivered');
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  private logFailure(error: unknown): undefined {
    if (this.end.signal.aborted) return undefined;
    this.log.error(
      { reason: error instanceof Error ? error.message : String(error) },
      'notifications failed',
    );
    return undefined;
  }
}
