/** Makes up transcripts in the shape of those that real agents write, without anyone's data. */

export const CLAUDE_SESSION = '11111111-2222-4333-8444-555555555555';
export const CODEX_SESSION = '01a00000-0000-7000-8000-000000000001';
const DAY = '2026-03-01';

/** Returns a time of the made-up day, in seconds after noon. */
export const at = (seconds: number): string =>
  new Date(Date.parse(`${DAY}T12:00:00Z`) + seconds * 1000).toISOString();

type Line = Readonly<Record<string, unknown>>;

export const lines = (...all: readonly (Line | string)[]): string =>
  all.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

const common = { cwd: '/home/user/projects/app', gitBranch: 'main', version: '2.1.332', isSidechain: false };

/** A turn with one call: a prompt, two answers, one call. `session` and `agentId` make it that of another session. */
export function claudeTurn(session = CLAUDE_SESSION, more: Line = {}, mark = ''): Line[] {
  const line = (seconds: number, rest: Line): Line => ({
    ...common,
    sessionId: session,
    timestamp: at(seconds),
    ...more,
    ...rest,
  });
  const answer = (id: string, request: string, content: unknown, output: number): Line => ({
    type: 'assistant',
    requestId: `req_${request}${mark}`,
    message: {
      id: `msg_${id}${mark}`,
      role: 'assistant',
      model: 'made-up-large',
      content: [content],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 100,
        output_tokens: output,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 7,
      },
    },
  });
  return [
    line(0, {
      type: 'user',
      uuid: `u1${mark}`,
      promptId: `p1${mark}`,
      message: { role: 'user', content: 'say hello' },
    }),
    line(1, { type: 'attachment', uuid: `u2${mark}`, attachment: { type: 'date' } }),
    line(2, { uuid: `u3${mark}`, ...answer('1', '1', { type: 'text', text: 'I run it.' }, 1) }),
    line(3, {
      uuid: `u4${mark}`,
      ...answer(
        '1',
        '1',
        { type: 'tool_use', id: `t1${mark}`, name: 'Bash', input: { command: 'echo hello' } },
        30,
      ),
    }),
    line(5, {
      type: 'user',
      uuid: `u5${mark}`,
      promptId: `p1${mark}`,
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t1${mark}`, content: 'hello' }],
      },
      toolUseResult: { stdout: 'hello', stderr: '' },
    }),
    line(7, { uuid: `u6${mark}`, ...answer('2', '2', { type: 'text', text: 'All done.' }, 20) }),
  ];
}

/** The hooks and the logs that Claude Code sends for the same turn. */
export const claudeHooks: readonly Line[] = [
  { hook_event_name: 'SessionStart' },
  { hook_event_name: 'UserPromptSubmit', prompt_id: 'p1', prompt: 'say hello' },
  { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 't1', duration_ms: 9 },
  { hook_event_name: 'SessionEnd' },
].map((hook) => ({ session_id: CLAUDE_SESSION, cwd: '/home/user/projects/app', ...hook }));

export const claudeLogs: readonly Line[] = [
  { 'event.name': 'user_prompt', 'prompt.id': 'p1', time: 0 },
  { 'event.name': 'api_request', request_id: 'req_1', output_tokens: 30, time: 3.1 },
  { 'event.name': 'tool_result', tool_name: 'Bash', tool_use_id: 't1', success: 'true', time: 5 },
  { 'event.name': 'api_request', request_id: 'req_2', output_tokens: 20, time: 7.1 },
].map((log) => ({
  'session.id': CLAUDE_SESSION,
  'event.sequence': log.time,
  ...(log['event.name'] === 'api_request'
    ? { input_tokens: 100, cache_read_tokens: 40, cache_creation_tokens: 7, cost_usd: 0.25 }
    : {}),
  ...log,
}));

/** A turn of Codex with one call, in the form of 0.169.0. */
export function codexTurn(): Line[] {
  const line = (seconds: number, type: string, payload: Line): Line => ({
    timestamp: at(seconds),
    type,
    payload,
  });
  const usage = (output: number, total: number): Line => ({
    ...{ input_tokens: 150, cached_input_tokens: 60, cache_write_input_tokens: 10 },
    ...{ output_tokens: output, total_tokens: total },
  });
  const counted = (output: number, total: number): Line => ({
    type: 'token_count',
    info: { total_token_usage: usage(output, total), last_token_usage: usage(output, 150 + output) },
  });
  return [
    line(0, 'session_meta', {
      ...{ id: CODEX_SESSION, cwd: '/home/user/projects/app/', cli_version: '0.169.0' },
      git: { branch: 'main' },
    }),
    line(1, 'turn_context', { cwd: '/home/user/projects/app', model: 'made-up-codex' }),
    line(2, 'event_msg', {
      type: 'item_completed',
      item: { type: 'UserMessage', id: 'i1', content: [{ type: 'text', text: 'say hello' }] },
    }),
    line(3, 'response_item', { type: 'function_call', name: 'exec_command', arguments: '{}', call_id: 'c1' }),
    line(3, 'token_usage_record', { response_id: 'r1', usage: usage(50, 200) }),
    line(4, 'response_item', { type: 'function_call_output', call_id: 'c1', output: 'hello' }),
    line(4, 'event_msg', counted(50, 200)),
    line(6, 'response_item', {
      ...{ type: 'message', role: 'assistant', id: 'm1' },
      content: [{ type: 'output_text', text: 'All done.' }],
    }),
    line(6, 'token_usage_record', { response_id: 'r2', usage: usage(20, 370) }),
    line(6, 'event_msg', counted(20, 370)),
  ];
}

/** The logs of the same turn: without any id of an answer. */
export const codexLogs: readonly Line[] = [
  { 'event.name': 'codex.conversation_starts', time: 0 },
  { 'event.name': 'codex.user_prompt', time: 2 },
  { 'event.name': 'codex.sse_event', output_token_count: 50, time: 3 },
  { 'event.name': 'codex.tool_result', tool_name: 'exec_command', call_id: 'c1', success: 'true', time: 4 },
  { 'event.name': 'codex.sse_event', output_token_count: 20, time: 6 },
].map((log) => ({
  'conversation.id': CODEX_SESSION,
  ...(log['event.name'] === 'codex.sse_event'
    ? {
        ...{ 'event.kind': 'response.completed', input_token_count: 150 },
        ...{ cached_token_count: 60, cache_write_token_count: 10 },
      }
    : {}),
  ...log,
}));
