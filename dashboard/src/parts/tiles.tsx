/** The summary figures. */
import type { Stats } from '../api.ts';
import { connection } from '../connection.ts';
import { costText, titleOfCost } from '../cost-text.ts';
import { costsOfStats } from '../costs.ts';
import { FIGURE_LABELS } from '../figure-names.ts';
import { sessions } from '../figures.ts';
import { percent, short, whole } from '../format.ts';
import { hasCost, hasTokens, recentRate, scopeId, shownStats } from '../scope.ts';
import { needAnswer } from '../waiting.ts';

export function Tiles() {
  const at = shownStats.value;
  const active = sessions.value?.filter(({ status }) => status === 'active').length;
  const isLive = connection.value.state === 'live';
  return (
    <section aria-label="Totals">
      <dl class="tiles">
        {needAnswer.value.length > 0 && (
          <Tile name="Need an answer" value={whole(needAnswer.value.length)} isBad={true} />
        )}
        <Tile name={FIGURE_LABELS.event_count} value={at && whole(at.total_events)} />
        <Tile name="Events per second" value={isLive ? perSecond(recentRate.value) : '–'} />
        {scopeId.value === null && (
          <Tile
            name="Active sessions"
            value={active === undefined ? null : whole(active)}
            more={at && `of ${whole(at.total_sessions)}`}
          />
        )}
        <Tile
          name={FIGURE_LABELS.error_count}
          value={at && whole(at.total_errors)}
          more={at && at.total_events > 0 ? percent(at.total_errors / at.total_events) : null}
          isBad={at !== null && at.total_errors > 0}
        />
        {hasTokens.value || hasCost.value ? (
          <>
            <Tile name="Tokens in / out" value={at && hasTokens.value ? tokens(at) : null} />
            <CostTile at={at} />
          </>
        ) : (
          <Tile name="Tokens and cost" value={null} />
        )}
      </dl>
      {at !== null && at.total_events > 0 && <Unmeasured />}
    </section>
  );
}

function CostTile({ at }: { readonly at: Stats | null }) {
  if (at === null || !hasCost.value) return <Tile name={FIGURE_LABELS.cost_usd} value={null} />;
  const costs = costsOfStats(at);
  return <Tile name={FIGURE_LABELS.cost_usd} value={costText(costs)} title={titleOfCost(costs)} />;
}

/** Explains why a figure is missing, and how to get it. */
function Unmeasured() {
  if (hasTokens.value && hasCost.value) return null;
  const what = hasTokens.value ? 'cost' : hasCost.value ? 'tokens' : 'tokens and cost';
  return (
    <p class="unmeasured dim">
      No event has named {what} yet, so none is shown: hooks carry none. Send <code>tokens_in</code>,{' '}
      <code>tokens_out</code> and <code>cost_usd</code> with your events to see them.
    </p>
  );
}

interface TileProps {
  readonly name: string;
  /** `null` while unknown. */
  readonly value: string | null;
  readonly more?: string | null;
  readonly isBad?: boolean;
  readonly title?: string | undefined;
}

function Tile({ name, value, more = null, isBad = false, title }: TileProps) {
  return (
    <div class="tile" title={title}>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : undefined}>
        {value ?? <span class="dim">–</span>}
        {more !== null && <span class="more"> {more}</span>}
      </dd>
    </div>
  );
}

function tokens({ total_tokens_in, total_tokens_out }: Stats): string {
  return `${short(total_tokens_in)}/${short(total_tokens_out)}`;
}

function perSecond(value: number): string {
  return value < 9.95 && value > 0 ? value.toFixed(1) : whole(value);
}
