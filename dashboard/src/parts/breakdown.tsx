/** Shows events, tokens and cost by model, by project, by branch and by agent. */
import type { Counted, Spent } from '../api.ts';
import { costText, titleOfCost } from '../cost-text.ts';
import { type Costs, costsOfSpent } from '../costs.ts';
import type { FilterName } from '../filters.ts';
import { short, whole } from '../format.ts';
import { hasCost, hasTokens, shownCost, shownStats } from '../scope.ts';
import { FilterButton } from './filter-button.tsx';
import { Empty, Panel, useFirst } from './panel.tsx';
import { TelemetryNotes } from './telemetry-notes.tsx';

const FIRST = 6;

export function Breakdown() {
  return (
    <>
      <SpentPanel id="models" title="Models" name="model" list={shownCost.value?.by_model ?? null} />
      <SpentPanel id="projects" title="Projects" name="project" list={shownCost.value?.by_project ?? null} />
      <CountedPanel id="branches" title="Branches" name="branch" list={shownStats.value?.branches ?? null} />
      <CountedPanel id="agents" title="Agents" name="agent_type" list={shownStats.value?.agents ?? null} />
    </>
  );
}

/** Returns the explanation of a count. Few events name a model: hooks report it only at the start of a session. */
function countedOf(name: FilterName): string | undefined {
  return name === 'agent_type' ? undefined : 'events that name one';
}

interface ListProps<T> {
  readonly id: string;
  readonly title: string;
  readonly name: FilterName;
  /** `null` before the first answer. */
  readonly list: readonly T[] | null;
}

function SpentPanel({ id, title, name, list }: ListProps<Spent>) {
  const [first, button] = useFirst(list ?? [], FIRST);
  return (
    <Panel id={id} title={title} more={countedOf(name)}>
      {list?.length === 0 ? (
        <Empty>No event has named one.</Empty>
      ) : (
        <table aria-labelledby={`${id}-title`}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" class="number">
                Events
              </th>
              {hasTokens.value && (
                <th scope="col" class="number">
                  Tokens
                </th>
              )}
              {hasCost.value && (
                <th scope="col" class="number">
                  Cost
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {first.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <FilterButton name={name} value={one.name} />
                </th>
                <td class="number">{whole(one.event_count)}</td>
                {hasTokens.value && <td class="number">{short(one.tokens_in + one.tokens_out)}</td>}
                {hasCost.value && <CostCell {...costsOfSpent(one)} />}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {button}
    </Panel>
  );
}

function CostCell(costs: Costs) {
  return (
    <td class="number" title={titleOfCost(costs)}>
      {costText(costs)}
    </td>
  );
}

function CountedPanel({ id, title, name, list }: ListProps<Counted>) {
  const [first, button] = useFirst(list ?? [], FIRST);
  const most = Math.max(1, ...(list ?? []).map(({ count }) => count));
  return (
    <Panel id={id} title={title} more={countedOf(name)}>
      {list?.length === 0 && <Empty>No event has named one.</Empty>}
      <ul class="counts">
        {first.map((one) => (
          <li key={one.name}>
            <FilterButton name={name} value={one.name} />
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${(one.count / most) * 100}%` }} />
            </span>
            <span class="number">{whole(one.count)}</span>
          </li>
        ))}
      </ul>
      {button}
      {name === 'agent_type' && <TelemetryNotes />}
    </Panel>
  );
}
