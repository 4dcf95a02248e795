/** The figures that say at a glance how things stand. */
import { connection } from '../connection.ts';
import { rate, sessions, stats } from '../figures.ts';
import { dollars, percent, short, whole } from '../format.ts';
import { now_ms } from '../time.ts';

export function Tiles() {
  const at = stats.value;
  const active = sessions.value?.filter(({ status }) => status === 'active').length;
  const isLive = connection.value.state === 'live';
  return (
    <section aria-label="Totals">
      <dl class="tiles">
        <Tile name="Events" value={at && whole(at.total_events)} />
        <Tile name="Events per second" value={isLive ? perSecond(rate.recent(now_ms.value)) : '–'} />
        <Tile
          name="Active sessions"
          value={active === undefined ? null : whole(active)}
          more={at && `of ${whole(at.total_sessions)}`}
        />
        <Tile
          name="Errors"
          value={at && whole(at.total_errors)}
          more={at && at.total_events > 0 ? percent(at.total_errors / at.total_events) : null}
          isBad={at !== null && at.total_errors > 0}
        />
        <Tile name="Tokens in" value={at && short(at.total_tokens_in)} />
        <Tile name="Tokens out" value={at && short(at.total_tokens_out)} />
        <Tile name="Cost" value={at && dollars(at.total_cost_usd)} />
      </dl>
    </section>
  );
}

interface TileProps {
  readonly name: string;
  /** `null` while it is not known. */
  readonly value: string | null;
  readonly more?: string | null;
  readonly isBad?: boolean;
}

function Tile({ name, value, more = null, isBad = false }: TileProps) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : undefined}>
        {value ?? <span class="dim">–</span>}
        {more !== null && <span class="more"> {more}</span>}
      </dd>
    </div>
  );
}

function perSecond(value: number): string {
  return value < 9.95 && value > 0 ? value.toFixed(1) : whole(value);
}
