/**
 * Implements the Responses API of OpenAI: `POST /v1/responses`. It reports no cache writes, and its input tokens
 * include cache reads.
 */
import { type ApiFormat, isFilled } from './format.ts';
import type { Served } from './script.ts';

export const OPENAI: ApiFormat = {
  read(path, body) {
    if (!/\/responses(\?|$)/.test(path)) return null;
    return { model: String(body.model), hasTools: isFilled(body.tools), isStream: body.stream === true };
  },
  answer(served) {
    return { ...responseOf(served), output: [itemOf(served)] };
  },
  frames(served) {
    const response = responseOf(served);
    return [
      { type: 'response.created', response: { id: response.id } },
      { type: 'response.output_item.done', output_index: 0, item: itemOf(served) },
      { type: 'response.completed', response },
    ];
  },
};

function responseOf({ usage, model }: Served) {
  const { input = 0, cacheRead = 0, output = 0, thoughts = 0 } = usage ?? {};
  return {
    id: `resp_${output}`,
    object: 'response',
    model,
    status: 'completed',
    usage: {
      input_tokens: input + cacheRead,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: thoughts },
      total_tokens: input + cacheRead + output,
    },
  };
}

function itemOf({ step, call, callId, usage }: Served) {
  if (call !== null) {
    const { input, ...name } = call;
    const item = { type: 'function_call', id: `fc_${usage?.output}`, call_id: callId };
    return { ...item, ...name, arguments: JSON.stringify(input) };
  }
  const text = step.kind === 'text' ? step.text : '';
  return {
    type: 'message',
    id: `msg_${usage?.output}`,
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  };
}
