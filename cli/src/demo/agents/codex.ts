/** Codex's requests: logs of everything, the records of an answer twice, and spans of its calls. It sends no cost. */
import type { Step } from '../steps.ts';
import { type Agent, logs, nanos, spans } from './request.ts';

const LOGS = { service: 'codex_exec', version: '0.169.0', scope: 'codex_otel.log_only' };
const SPANS = { ...LOGS, scope: 'codex_exec' };
const TOOLS = { shell: 'exec_command', read: 'exec_command', edit: 'apply_patch', search: 'exec_command' };
const COMMANDS = { shell: '', read: 'cat ', edit: '', search: 'rg ' } as const;

type Fields = Readonly<Record<string, unknown>>;

export const codex: Agent = (session) => {
  let count = 0;
  return (step, at) => {
    const own = { 'conversation.id': session.id, 'app.version': LOGS.version, model: session.model };
    const records = recordsOf(step).map(([name, attributes]) => ({
      // Its logs have only the observed time.
      observedTimeUnixNano: nanos(at),
      attributes: {
        'event.name': `codex.${name}`,
        'event.timestamp': at.toISOString(),
        ...own,
        ...attributes,
      },
    }));
    if (step.kind !== 'result') return logs(LOGS, records);
    const { id, tool, duration_ms, error } = step.call;
    const traceId = session.id.replaceAll('-', '');
    const span = (name: string, attributes: Fields) => ({
      traceId,
      spanId: String(++count).padStart(16, '0'),
      name,
      startTimeUnixNano: nanos(new Date(at.getTime() - duration_ms)),
      endTimeUnixNano: nanos(at),
      status: { code: error === null ? 0 : 2 },
      attributes: { 'conversation.id': session.id, ...attributes },
    });
    const own_spans = [
      span(TOOLS[tool], { call_id: `call_${id}`, tool_name: TOOLS[tool] }),
      span('fs.read', {}),
    ];
    return [...logs(LOGS, records), ...spans(SPANS, own_spans)];
  };
};

function recordsOf(step: Step): readonly (readonly [name: string, attributes: Fields])[] {
  switch (step.kind) {
    case 'start':
      return [['conversation_starts', { provider_name: 'openai', approval_policy: 'on-request' }]];
    case 'prompt':
      return [['user_prompt', { prompt_length: String(step.text.length), prompt: step.text }]];
    case 'failure':
      return [['api_request', requestOf(529, step.duration_ms, { 'error.message': step.error })]];
    case 'reply': {
      const { tokens_in, tokens_out, cache_read_tokens, duration_ms } = step.reply;
      const completed = { 'event.kind': 'response.completed', duration_ms: String(duration_ms) };
      return [
        ['api_request', requestOf(200, 40, {})],
        ['sse_event', completed],
        [
          'sse_event',
          {
            ...completed,
            // The count includes the cached tokens.
            input_token_count: String(tokens_in + cache_read_tokens),
            output_token_count: String(tokens_out),
            cached_token_count: String(cache_read_tokens),
          },
        ],
      ];
    }
    case 'result': {
      const { id, tool, input, error, duration_ms } = step.call;
      const call = { call_id: `call_${id}`, tool_name: TOOLS[tool] };
      const args = tool === 'edit' ? { path: input } : { cmd: `${COMMANDS[tool]}${input}` };
      const result = { success: String(error === null), duration_ms: String(duration_ms) };
      const texts = { arguments: JSON.stringify(args), output: error ?? 'ok' };
      return [
        ['tool_decision', { ...call, decision: 'approved', source: 'Config' }],
        ['tool_result', { ...call, ...result, ...texts }],
      ];
    }
    default:
      return [];
  }
}

function requestOf(status: number, duration_ms: number, more: Fields): Fields {
  return {
    'http.response.status_code': String(status),
    duration_ms: String(duration_ms),
    endpoint: '/responses',
    ...more,
  };
}
