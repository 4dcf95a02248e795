/** Gemini CLI's requests: logs, whose calls have no id. Output excludes thoughts, and it sends no cost. */
import type { Session, Step } from '../steps.ts';
import { type Agent, logs, nanos } from './request.ts';

const ORIGIN = { service: 'gemini-cli', version: '0.61.0', scope: 'gemini-cli' };
const TOOLS = {
  shell: 'run_shell_command',
  read: 'read_file',
  edit: 'replace',
  search: 'search_file_content',
};
const ARGUMENTS = { shell: 'command', read: 'file_path', edit: 'file_path', search: 'pattern' };

type Fields = Readonly<Record<string, unknown>>;

export const geminiCli: Agent = (session) => {
  let prompt_id = '';
  return (step, at) => {
    if (step.kind === 'prompt') prompt_id = step.id;
    const records = recordsOf(step, session).map(([name, attributes]) => ({
      timeUnixNano: nanos(at),
      attributes: {
        'session.id': session.id,
        'event.name': `gemini_cli.${name}`,
        'event.timestamp': at.toISOString(),
        ...(prompt_id === '' ? {} : { prompt_id }),
        ...attributes,
      },
    }));
    return logs(ORIGIN, records);
  };
};

function recordsOf(step: Step, { model }: Session): readonly (readonly [name: string, attributes: Fields])[] {
  switch (step.kind) {
    case 'start':
      return [['config', { model, approval_mode: 'default', sandbox_enabled: false }]];
    case 'prompt':
      return [['user_prompt', { prompt_length: step.text.length, prompt: step.text }]];
    case 'failure':
      return [['api_error', { model, error: step.error, status_code: 529, duration_ms: step.duration_ms }]];
    case 'reply': {
      const { tokens_in, tokens_out, cache_read_tokens, duration_ms } = step.reply;
      const thoughts_token_count = Math.floor(tokens_out / 3);
      return [
        ['api_request', { model }],
        [
          'api_response',
          {
            ...{ model, status_code: 200, duration_ms },
            // The count includes the cached tokens.
            input_token_count: tokens_in + cache_read_tokens,
            output_token_count: tokens_out - thoughts_token_count,
            cached_content_token_count: cache_read_tokens,
            thoughts_token_count,
          },
        ],
      ];
    }
    case 'result': {
      const { tool, input, error, duration_ms } = step.call;
      const call = { function_name: TOOLS[tool], duration_ms, success: error === null, decision: 'accept' };
      const function_args = JSON.stringify({ [ARGUMENTS[tool]]: input });
      return [['tool_call', { ...call, function_args, ...(error === null ? {} : { error }) }]];
    }
    case 'subagent':
    case 'subagent end': {
      const { id: agent_id, name: agent_name } = step.subagent;
      return [[step.kind === 'subagent' ? 'agent.start' : 'agent.finish', { agent_id, agent_name }]];
    }
    case 'turn end':
      return [['conversation_finished', { approvalMode: 'default', turnCount: 1 }]];
    default:
      return [];
  }
}
