/** Tools: calls, durations and failures. A click filters the feed by one. */
import type { Percentiles, Tool } from '../api.ts';
import { durationEvents } from '../figures.ts';
import { duration, percent, short, whole } from '../format.ts';
import { scopeId, shownTools } from '../scope.ts';
import { FilterButton } from './filter-button.tsx';
import { Empty, Panel, useFirst } from './panel.tsx';

const FIRST = 8;

export function Tools() {
  const all = shownTools.value;
  const [list, button] = useFirst(all ?? [], FIRST);
  const part = scopeId.value === null ? durationEvents.value : null;
  return (
    <Panel
      id="tools"
      title="Tools"
      more={part === null ? undefined : `durations of the newest ${short(part)} events`}
    >
      {all?.length === 0 ? (
        <Empty>No event has named a tool.</Empty>
      ) : (
        <table class="tools" aria-labelledby="tools-title">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" class="number">
                Calls
              </th>
              <th scope="col" class="number" title="Half of the calls took at most this long">
                p50
              </th>
              <th scope="col" class="number" title="95 of 100 calls took at most this long">
                p95
              </th>
              <th scope="col" class="number">
                Failed
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((tool) => (
              <ToolRow key={tool.tool_name} tool={tool} />
            ))}
          </tbody>
        </table>
      )}
      {button}
    </Panel>
  );
}

function ToolRow({ tool }: { readonly tool: Tool & Percentiles }) {
  return (
    <tr>
      <th scope="row">
        <FilterButton name="tool_name" value={tool.tool_name} />
      </th>
      <td class="number">{whole(tool.total_calls)}</td>
      <Took ms={tool.p50_ms} />
      <Took ms={tool.p95_ms} />
      <td
        class={`number ${tool.error_count > 0 ? 'bad' : 'dim'}`}
        title={`${whole(tool.error_count)} failed`}
      >
        {percent(tool.error_rate)}
      </td>
    </tr>
  );
}

function Took({ ms }: { readonly ms: number | null }) {
  return <td class="number">{ms === null ? <span class="dim">–</span> : duration(ms)}</td>;
}
