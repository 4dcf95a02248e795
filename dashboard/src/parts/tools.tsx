/** Tools: calls, failures and durations. A click filters the feed by one. */
import type { Tool } from '../api.ts';
import { duration, percent, whole } from '../format.ts';
import { shownTools } from '../scope.ts';
import { FilterButton } from './filter-button.tsx';
import { Empty, Panel, useFirst } from './panel.tsx';

const FIRST = 8;

export function Tools() {
  const all = shownTools.value;
  const [list, button] = useFirst(all ?? [], FIRST);
  return (
    <Panel id="tools" title="Tools">
      {all?.length === 0 ? (
        <Empty>No event has named a tool.</Empty>
      ) : (
        <table aria-labelledby="tools-title">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" class="number">
                Calls
              </th>
              <th scope="col" class="number">
                Errors
              </th>
              <th scope="col" class="number">
                Mean
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

function ToolRow({ tool }: { readonly tool: Tool }) {
  return (
    <tr>
      <th scope="row">
        <FilterButton name="tool_name" value={tool.tool_name} />
      </th>
      <td class="number">{whole(tool.total_calls)}</td>
      <td
        class={`number ${tool.error_count > 0 ? 'bad' : 'dim'}`}
        title={`${whole(tool.error_count)} failed`}
      >
        {percent(tool.error_rate)}
      </td>
      <td class="number">
        {tool.avg_duration_ms === null ? <span class="dim">–</span> : duration(tool.avg_duration_ms)}
      </td>
    </tr>
  );
}
