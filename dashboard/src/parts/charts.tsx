/** Plots over time: live events per second; events, tokens and cost per hour. */
import { computed } from '@preact/signals';
import { TOKEN_SUMS } from '../figure-names.ts';
import { RATE_SECONDS } from '../figures.ts';
import { dollars, short } from '../format.ts';
import { hourly } from '../hourly.ts';
import { labelOf } from '../labels.ts';
import { RANGE_NAMES } from '../range.ts';
import {
  hasComputedCost,
  hasCost,
  hasReportedCost,
  hasTokens,
  perSecond,
  scope,
  shownCost,
  shownEvents,
} from '../scope.ts';
import { now_ms } from '../time.ts';
import { range, since } from '../view.ts';
import { Chart } from './chart.tsx';

const HOUR_MS = 3_600_000;
/** The last hour of the plots: that of a chosen session's newest event, otherwise the current one. */
const hour = computed(() => {
  const last = scope.value?.session.last_event_at;
  return Math.floor((last === undefined ? now_ms.value : Date.parse(last)) / HOUR_MS);
});
const hours = computed(() => {
  const from = since.value === null ? null : Math.floor(Date.parse(since.value) / HOUR_MS);
  return hourly(shownCost.value?.timeline ?? [], hour.value, from);
});
const eventsPerHour = computed(() => {
  const { at } = hours.value;
  const counts = at.map((hour) => shownEvents.value?.get(hour) ?? [0, 0]);
  return [at, counts.map(([count]) => count), counts.map(([, failed]) => failed)];
});
const tokensPerHour = computed(() => [hours.value.at, ...TOKEN_SUMS.map((name) => hours.value[name])]);
/** `Tokens in` is `in` below the title `Tokens per hour`. */
const TOKEN_SERIES = TOKEN_SUMS.map((name, i) => ({
  name: labelOf(name).replace('Tokens ', '').toLowerCase(),
  colour: `--series-${(i % 3) + 1}`,
}));
const costPerHour = computed(() => [hours.value.at, hours.value.cost_usd]);
const computedPerHour = computed(() => [hours.value.at, hours.value.computed_cost_usd]);
const hourRange = computed(() => {
  const count = hours.value.at.length;
  if (since.value !== null) return RANGE_NAMES[range.value!].toLowerCase();
  return count > 24 ? `${Math.ceil(count / 24)} days` : '24 hours';
});

export function Charts() {
  return (
    <section class="charts" aria-label="Over time">
      <RateChart />
      <EventsChart />
      {hasTokens.value && <TokensChart />}
      {hasReportedCost.value && <CostChart />}
      {hasComputedCost.value && <ComputedCostChart />}
      {!(hasTokens.value && hasCost.value) && <NoData />}
    </section>
  );
}

/** Replaces plots without data. */
function NoData() {
  const missing = [hasTokens.value ? [] : 'Tokens per hour', hasCost.value ? [] : 'Cost per hour'].flat();
  return <p class="panel no-data dim">{missing.join(', ')}: no data yet</p>;
}

function RateChart() {
  return (
    <Chart
      title="Events per second"
      range={`${RATE_SECONDS / 60} minutes`}
      data={perSecond.value}
      series={[{ name: 'events', colour: '--series-1' }]}
      format={short}
      least={5}
      kind="area"
    />
  );
}

function EventsChart() {
  return (
    <Chart
      title="Events per hour"
      range={hourRange.value}
      data={eventsPerHour.value}
      series={[
        { name: 'events', colour: '--series-1' },
        { name: 'failed', colour: '--series-2' },
      ]}
      format={short}
      least={5}
      kind="line"
    />
  );
}

function TokensChart() {
  return (
    <Chart
      title="Tokens per hour"
      range={hourRange.value}
      data={tokensPerHour.value}
      series={TOKEN_SERIES}
      format={short}
      least={1000}
      kind="line"
    />
  );
}

function CostChart() {
  return (
    <Chart
      title="Cost per hour"
      range={hourRange.value}
      data={costPerHour.value}
      series={[{ name: 'cost', colour: '--series-3' }]}
      format={dollars}
      least={0.1}
      kind="bars"
    />
  );
}

function ComputedCostChart() {
  return (
    <Chart
      title="Computed cost per hour"
      range={hourRange.value}
      data={computedPerHour.value}
      series={[{ name: '~ computed', colour: '--series-3' }]}
      format={dollars}
      least={0.1}
      kind="bars"
    />
  );
}
