/** The newest errors of the time range, with their sessions. */
import { failures, sessions } from '../figures.ts';
import { span, timeOfDay } from '../format.ts';
import { scopeId } from '../scope.ts';
import { timeOf } from '../session/interval.ts';
import { summaryOf } from '../summary.ts';
import { now_ms } from '../time.ts';
import { titleOf } from '../titles.ts';
import { openEvent } from '../view.ts';
import { Empty, Panel, useFirst } from './panel.tsx';

const FIRST = 4;

export function Failed() {
  const [list, button] = useFirst(
    (failures.value ?? []).toSorted((a, b) => timeOf(b) - timeOf(a)),
    FIRST,
  );
  if (scopeId.value !== null) return null;
  return (
    <Panel id="failed" title="Failed" more="newest first">
      {failures.value?.length === 0 && <Empty>Nothing has failed.</Empty>}
      <ul class="failed">
        {list.map((row) => {
          const of = sessions.value?.find(({ session }) => session.id === row.session_id);
          const at = timeOf(row);
          return (
            <li key={row.id}>
              <button
                type="button"
                class="failure"
                title={timeOfDay(new Date(at))}
                onClick={() => {
                  openEvent.value = row.id;
                }}
              >
                <span class="text bad">{[row.tool_name, summaryOf(row)].filter(Boolean).join(': ')}</span>
                <span class="number">{span(now_ms.value - at)} ago</span>
                <span class="text dim">{of === undefined ? row.session_id : titleOf(of.session)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {button}
    </Panel>
  );
}
