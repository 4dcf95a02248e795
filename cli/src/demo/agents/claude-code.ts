/**
 * Claude Code's requests: hooks for everything, and logs with the tokens and the cost. Prompts and results of calls
 * arrive both ways and are one event each.
 */
import type { Call, Session, Step } from '../steps.ts';
import { type Agent, logs, nanos, type Request } from './request.ts';

const ORIGIN = {
  service: 'claude-code',
  version: '2.1.332',
  scope: 'com.anthropic.claude_code.events',
};
const TOOLS = { shell: 'Bash', read: 'Read', edit: 'Edit', search: 'Grep' } as const;

type Fields = Readonly<Record<string, unknown>>;

export const claudeCode: Agent = (session) => {
  let sequence = 0;
  let prompt_id = '';
  return (step, at) => {
    if (step.kind === 'prompt') prompt_id = step.id;
    const records = Object.entries(recordsOf(step, session)).map(([name, attributes]) => ({
      timeUnixNano: nanos(at),
      body: `claude_code.${name}`,
      attributes: {
        'session.id': session.id,
        'event.name': name,
        'event.timestamp': at.toISOString(),
        'event.sequence': sequence++,
        'prompt.id': prompt_id,
        ...attributes,
      },
    }));
    return [...hooksOf(step, session, prompt_id), ...logs(ORIGIN, records)];
  };
};

function hooksOf(step: Step, session: Session, prompt_id: string): Request[] {
  const { id, project, branch } = session;
  const cwd = `/home/user/${project}`;
  const hook = (hook_event_name: string, fields: Fields = {}): Request => ({
    path: '/api/hooks/claude-code',
    body: {
      session_id: id,
      transcript_path: `/home/user/.claude/projects/-home-user-${project}/${id}.jsonl`,
      cwd,
      // The agent sends no branch; the server reads one from hooks that have it.
      branch,
      ...(prompt_id === '' ? {} : { prompt_id }),
      hook_event_name,
      ...fields,
    },
  });
  switch (step.kind) {
    case 'start':
      return [hook('SessionStart', { source: 'startup', model: session.model })];
    case 'prompt':
      return [hook('UserPromptSubmit', { prompt: step.text })];
    case 'call':
      return [hook('PreToolUse', callOf(step.call, cwd))];
    case 'ask': {
      const message = `Claude needs your permission to use ${TOOLS[step.call.tool]}`;
      return [
        hook('PermissionRequest', callOf(step.call, cwd)),
        hook('Notification', { notification_type: 'permission_prompt', message }),
      ];
    }
    case 'result': {
      const { error, duration_ms } = step.call;
      const call = { ...callOf(step.call, cwd), duration_ms };
      if (error !== null) return [hook('PostToolUseFailure', { ...call, error, is_interrupt: false })];
      return [hook('PostToolUse', { ...call, tool_response: { stdout: 'ok', stderr: '' } })];
    }
    case 'subagent':
    case 'subagent end': {
      const { id: agent_id, name: agent_type, task } = step.subagent;
      const subagent = { agent_id, agent_type };
      if (step.kind === 'subagent') return [hook('SubagentStart', { ...subagent, task_description: task })];
      return [hook('SubagentStop', { ...subagent, last_assistant_message: 'In two places.' })];
    }
    case 'turn end':
      return [hook('Stop', { stop_hook_active: false, last_assistant_message: step.text })];
    case 'end':
      return [hook('SessionEnd', { reason: 'prompt_input_exit' })];
    default:
      return [];
  }
}

function callOf({ id, tool, input, agent_id }: Call, cwd: string): Fields {
  const inputs = {
    shell: { command: input },
    read: { file_path: `${cwd}/${input}` },
    edit: { file_path: `${cwd}/${input}`, old_string: 'before', new_string: 'after', replace_all: false },
    search: { pattern: input, path: cwd },
  };
  const of = agent_id === null ? {} : { agent_id, agent_type: 'Explore' };
  return { ...of, tool_name: TOOLS[tool], tool_input: inputs[tool], tool_use_id: `toolu_${id}` };
}

/** Returns the log records of a step, by name. */
function recordsOf(step: Step, { model }: Session): Readonly<Record<string, Fields>> {
  switch (step.kind) {
    case 'prompt':
      return { user_prompt: { prompt_length: String(step.text.length), prompt: '<REDACTED>' } };
    case 'reply': {
      const { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens, cost_nanos, duration_ms } =
        step.reply;
      return {
        api_request: {
          model,
          input_tokens: tokens_in,
          output_tokens: tokens_out,
          cache_read_tokens,
          cache_creation_tokens: cache_write_tokens,
          cost_usd: (cost_nanos ?? 0) / 1e9,
          duration_ms,
        },
      };
    }
    case 'failure':
      return { api_error: { model, error: step.error, duration_ms: step.duration_ms, attempt: 1 } };
    case 'result': {
      const { id, tool, error, duration_ms } = step.call;
      const call = { tool_name: TOOLS[tool], tool_use_id: `toolu_${id}` };
      const success = String(error === null);
      return {
        tool_decision: { ...call, decision: 'accept', source: 'config' },
        tool_result: { ...call, success, duration_ms },
      };
    }
    default:
      return {};
  }
}
