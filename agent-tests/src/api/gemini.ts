/**
 * Implements the API of Gemini: `POST /v1beta/models/MODEL:streamGenerateContent`. Its prompt tokens include cached
 * tokens, and its candidate tokens exclude thoughts.
 */
import { type ApiFormat, isFilled } from './format.ts';
import type { Served } from './script.ts';

export const GEMINI: ApiFormat = {
  read(path, body) {
    const found = /\/models\/([^:/]+):(streamGenerateContent|generateContent)/.exec(path);
    if (found === null) return null;
    return {
      model: found[1]!,
      hasTools: isFilled(body.tools),
      isStream: found[2] === 'streamGenerateContent',
    };
  },
  answer: answerOf,
  frames: (served) => [answerOf(served)],
};

function answerOf({ step, call, model, usage }: Served) {
  const { input = 0, cacheRead = 0, output = 0, thoughts = 0 } = usage ?? {};
  const part =
    call !== null
      ? { functionCall: { name: call.name, args: call.input } }
      : { text: step.kind === 'text' ? step.text : '' };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: input + cacheRead,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: output - thoughts,
      thoughtsTokenCount: thoughts,
      totalTokenCount: input + cacheRead + output,
    },
    modelVersion: model,
  };
}
