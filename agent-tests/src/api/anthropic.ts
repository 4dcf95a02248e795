/** Implements the Messages API of Anthropic: `POST /v1/messages`. */
import { type ApiFormat, isFilled } from './format.ts';
import type { Served } from './script.ts';

export const ANTHROPIC: ApiFormat = {
  read(path, body) {
    if (!/\/messages(\?|$)/.test(path)) return null;
    return { model: String(body.model), hasTools: isFilled(body.tools), isStream: body.stream === true };
  },
  answer(served) {
    return { ...messageOf(served), content: [contentOf(served)], stop_reason: stopOf(served) };
  },
  frames(served) {
    const content = contentOf(served);
    const isCall = content.type === 'tool_use';
    const delta = isCall
      ? { type: 'input_json_delta', partial_json: JSON.stringify('input' in content ? content.input : {}) }
      : { type: 'text_delta', text: content.text };
    return [
      { type: 'message_start', message: messageOf(served) },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { ...content, ...(isCall ? { input: {} } : { text: '' }) },
      },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: stopOf(served), stop_sequence: null },
        usage: { output_tokens: served.usage?.output ?? 0 },
      },
      { type: 'message_stop' },
    ];
  },
};

function messageOf({ model, usage, callId }: Served) {
  return {
    id: `msg_${usage?.output}_${callId ?? 'text'}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage?.input,
      output_tokens: usage?.output,
      cache_read_input_tokens: usage?.cacheRead,
      cache_creation_input_tokens: usage?.cacheWrite,
    },
  };
}

function contentOf({ step, call, callId }: Served) {
  if (call !== null) return { type: 'tool_use', id: callId, ...call };
  return { type: 'text', text: step.kind === 'text' ? step.text : '' };
}

function stopOf({ step }: Served): string {
  return step.kind === 'call' ? 'tool_use' : 'end_turn';
}
