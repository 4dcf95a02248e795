/** The cost of today and of this week, by project, by model or by agent. */
import { signal } from '@preact/signals';
import { costText, titleOfCost, unpricedText } from '../cost-text.ts';
import { type Costs, isSpent, NO_COST } from '../costs.ts';
import { dayZone, health } from '../figures.ts';
import { legible } from '../format.ts';
import { budgetText } from '../notify/notices.ts';
import { scopeId } from '../scope.ts';
import { byFolder, type Expense, GROUPS, type Group, spending } from '../spending.ts';
import { foldersOf, pathOf } from '../titles.ts';
import { Empty, Panel, useFirst } from './panel.tsx';

const FIRST = 6;
const group = signal<Group>('project');

export function SpendingPanel() {
  const all = spending.value?.all[0];
  const list = spending.value?.[group.value] ?? [];
  const [first, button] = useFirst(list, FIRST);
  if (scopeId.value !== null) return null;
  return (
    <Panel
      id="spending"
      title="Cost"
      more={
        <span class="choices">
          {GROUPS.map((name) => (
            <button
              type="button"
              key={name}
              class="quiet"
              aria-pressed={group.value === name}
              onClick={() => {
                group.value = name;
              }}
            >
              {name}
            </button>
          ))}
        </span>
      }
    >
      <BudgetLine />
      {all !== undefined && !isSpent(all.week) ? (
        <Empty>Nothing has cost anything this week.</Empty>
      ) : (
        <table class="spending" aria-labelledby="spending-title">
          <thead>
            <tr>
              <th scope="col">By {group.value}</th>
              <th scope="col" class="number">
                Today
              </th>
              <th scope="col" class="number">
                This week
              </th>
            </tr>
          </thead>
          <tbody>
            {first.map((one) => (
              <ExpenseRow key={one.name} of={one} />
            ))}
            {all !== undefined && <ExpenseRow of={all} isAll={true} />}
          </tbody>
        </table>
      )}
      {button}
      {dayZone.value !== null && <p class="day-zone dim">Days begin at midnight in {dayZone.value}.</p>}
    </Panel>
  );
}

/** The cost of the day and its budget, when the server has one. */
function BudgetLine() {
  const { budget, time_zone: zone } = health.value ?? {};
  if (budget == null) return null;
  const isAbove = budget.cost_usd > budget.usd_day;
  return (
    <p
      class={`budget number ${isAbove ? 'bad' : 'dim'}`}
      title={`A day of the budget begins at midnight in ${zone ?? 'UTC'}`}
    >
      {budgetText(budget)}
      {isAbove && ', above the budget'}
      {budget.unpriced_tokens > 0 && ` + ${unpricedText(budget.unpriced_tokens)}`}
    </p>
  );
}

function ExpenseRow({ of, isAll = false }: { readonly of: Expense; readonly isAll?: boolean }) {
  const folders = !isAll && group.value === 'project' && of.name !== null ? foldersOf(of.name) : [];
  const [only, ...others] = folders;
  return (
    <>
      <tr class={isAll ? 'sum' : undefined}>
        <th scope="row" class="text">
          {isAll ? 'All' : of.name === null ? 'all others' : legible(of.name, 60)}
          {only !== undefined && others.length === 0 && (
            <span class="folder dim text"> {legible(only, 120)}</span>
          )}
        </th>
        <Amount costs={of.today} />
        <Amount costs={of.week} />
      </tr>
      {others.length > 0 && folders.map((path) => <FolderRow key={path} path={path} />)}
    </>
  );
}

/** One of several folders with the same name. The sums by project do not tell them apart, but sessions do. */
function FolderRow({ path }: { readonly path: string }) {
  const { sessions, today } = spending.value!;
  const of = byFolder(sessions, today, ({ id }) => pathOf(id)).get(path);
  return (
    <tr class="of-folder dim" title="The cost of its newest sessions, each counted whole">
      <th scope="row" class="text">
        {legible(path, 120)}
      </th>
      <Amount costs={of?.today ?? NO_COST} />
      <Amount costs={of?.week ?? NO_COST} />
    </tr>
  );
}

function Amount({ costs }: { readonly costs: Costs }) {
  return (
    <td class="number" title={titleOfCost(costs)}>
      {isSpent(costs) ? costText(costs).replace(' computed', '') : <span class="dim">{costText(costs)}</span>}
    </td>
  );
}
