/** Chooses the time range of the overview. A chosen session is shown whole, so it has no range. */
import { dayZone } from '../figures.ts';
import { RANGE_NAMES, RANGES, rangeIn } from '../range.ts';
import { sessionPage } from '../route.ts';
import { scopeId } from '../scope.ts';
import { range } from '../view.ts';

export function RangeChoice() {
  if (sessionPage.value !== null || scopeId.value !== null) return null;
  return (
    <select
      class="range"
      aria-label="Time range"
      title={dayZone.value === null ? undefined : `Days begin at midnight in ${dayZone.value}`}
      value={range.value ?? ''}
      onChange={(event) => {
        range.value = rangeIn(event.currentTarget.value);
      }}
    >
      <option value="">All time</option>
      {RANGES.map((name) => (
        <option key={name} value={name}>
          {RANGE_NAMES[name]}
        </option>
      ))}
    </select>
  );
}
