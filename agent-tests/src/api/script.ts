/**
 * Holds the model's answers in a test: a list of steps for each conversation. Each request takes the next step.
 *
 * A request belongs to the first conversation whose marker is in its body; the prompt contains the marker. A request of
 * no conversation, or without tools, is a side request (a title, a summary) and gets a short text.
 */

/** A tool call in the form of one agent. */
export interface ToolCall {
  readonly name: string;
  /** The namespace of the tool, for OpenAI. */
  readonly namespace?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call that depends on the request, for example on the id that the agent gave to a subagent. */
export type CallOf = (body: string) => ToolCall;

/** The result of a call. `denied`: the user or a rule refuses the call. */
export type Outcome = 'success' | 'error' | 'denied';

/** One answer of the model. `fail` answers with an HTTP status. `hold` runs before the answer is sent. */
export type Step = { readonly hold?: () => Promise<void> } & (
  | { readonly kind: 'call'; readonly call: ToolCall | CallOf; readonly outcome: Outcome }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fail'; readonly status: number }
);

export interface Conversation {
  readonly marker: string;
  readonly steps: readonly Step[];
}

/** Tokens of one answer. `input` excludes cache reads and cache writes; `output` includes `thoughts`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly thoughts: number;
}

/** One answer that the model API sent. */
export interface Served {
  /** The marker of the conversation; `null` for a side request. */
  readonly marker: string | null;
  readonly model: string;
  readonly step: Step;
  /** The tokens of the answer; `null` if the request failed. */
  readonly usage: Usage | null;
  readonly call: ToolCall | null;
  readonly callId: string | null;
}

const SIDE: Step = { kind: 'text', text: 'A title' };
const END: Step = { kind: 'text', text: 'Nothing more.' };

export class Script {
  readonly served: Served[] = [];
  readonly #conversations: readonly Conversation[];
  readonly #next = new Map<string, number>();

  constructor(conversations: readonly Conversation[]) {
    this.#conversations = conversations;
  }

  /** Returns the answer to a request. Its token counts differ from those of all other answers. */
  take(body: string, model: string, hasTools: boolean): Served {
    const marker = hasTools
      ? (this.#conversations.find((one) => body.includes(one.marker))?.marker ?? null)
      : null;
    const step = marker === null ? SIDE : this.#stepOf(marker);
    const n = this.served.length + 1;
    const usage = {
      input: 1000 + 7 * n,
      output: 100 + n,
      cacheRead: 500 + 3 * n,
      cacheWrite: 20 + n,
      thoughts: 5 + n,
    };
    const served = {
      marker,
      model,
      step,
      usage: step.kind === 'fail' ? null : usage,
      call: step.kind === 'call' ? (typeof step.call === 'function' ? step.call(body) : step.call) : null,
      callId: step.kind === 'call' ? `call_${n}_${marker}` : null,
    };
    this.served.push(served);
    return served;
  }

  /** Returns the number of steps that no request has taken. */
  left(): number {
    return this.#conversations.reduce(
      (sum, { marker, steps }) => sum + Math.max(0, steps.length - (this.#next.get(marker) ?? 0)),
      0,
    );
  }

  #stepOf(marker: string): Step {
    const at = this.#next.get(marker) ?? 0;
    this.#next.set(marker, at + 1);
    return this.#conversations.find((one) => one.marker === marker)!.steps[at] ?? END;
  }
}
