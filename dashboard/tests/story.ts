/** Builds the events of one session with three turns: a subagent, a failed call, a request for permission, an error. */

/** Returns its events. It began `ago_ms` before now; the last call still waits for permission. */
export function story(session_id: string, ago_ms = 26 * 60_000, cwd = '/home/user/work/shop'): object[] {
  const began = Date.now() - ago_ms;
  const events: object[] = [];
  const add = (at_s: number, own: object) => {
    const client_timestamp = new Date(began + at_s * 1000).toISOString();
    const base = { session_id, agent_type: 'claude_code', project: 'shop', branch: 'fix-rounding' };
    events.push({ ...base, client_timestamp, ...own });
  };
  const hook = (at_s: number, name: string, event_type: string, payload: object = {}, own: object = {}) => {
    const metadata = { session_id, cwd, hook_event_name: name, ...payload };
    add(at_s, { source: 'hook', source_event: name, event_type, ...own, metadata });
  };
  const prompt = (at_s: number, text: string) =>
    hook(at_s, 'UserPromptSubmit', 'user_prompt', { prompt: text });
  const stop = (at_s: number, text: string) =>
    hook(at_s, 'Stop', 'response', { last_assistant_message: text });
  const model = (
    at_s: number,
    took_s: number,
    used: readonly number[],
    cost_usd: number,
    own: object = {},
  ) => {
    const [tokens_in, tokens_out, cache_read_tokens, cache_write_tokens] = used;
    const tokens = { tokens_in, tokens_out, cache_read_tokens, cache_write_tokens };
    const [source, source_event] = ['otel', 'claude_code.api_request'];
    const metadata = { 'event.name': 'api_request' };
    const fixed = { source, source_event, event_type: 'llm_response', model: 'claude-opus-4-8', metadata };
    add(at_s, { ...fixed, duration_ms: took_s * 1000, ...tokens, cost_usd, ...own });
  };
  const start = (at_s: number, call_id: string, tool_name: string, tool_input: object, own: object = {}) =>
    hook(
      at_s,
      'PreToolUse',
      'plan_step',
      { tool_name, tool_use_id: call_id, tool_input },
      { tool_name, call_id, ...own },
    );
  const ask = (at_s: number, tool_name: string, tool_input: object) =>
    hook(at_s, 'PermissionRequest', 'plan_step', { tool_name, tool_input }, { tool_name });
  const tool = (
    [from_s, to_s]: readonly [number, number],
    call_id: string,
    tool_name: string,
    tool_input: object,
    { error, run_s = to_s - from_s, ...own }: { error?: string; run_s?: number; agent_id?: string } = {},
  ) => {
    start(from_s, call_id, tool_name, tool_input, own);
    const payload = {
      tool_name,
      tool_use_id: call_id,
      tool_input,
      ...(error === undefined ? { tool_response: {} } : { error }),
    };
    const status = error === undefined ? 'success' : 'error';
    const result = { tool_name, call_id, duration_ms: Math.round(run_s * 1000), status, ...own };
    hook(to_s, error === undefined ? 'PostToolUse' : 'PostToolUseFailure', 'tool_use', payload, result);
  };

  hook(0, 'SessionStart', 'session_start', { source: 'startup', model: 'claude-opus-4-8' });
  prompt(2, 'Why does the checkout round prices twice?');
  model(7, 4.4, [3200, 410, 0, 18_200], 0.124);
  tool([7.2, 7.25], 'a1', 'Grep', { pattern: 'Math.round', path: 'src' });
  model(11, 3.2, [900, 250, 18_200, 1400], 0.031);
  tool([11.2, 58], 'a2', 'Task', { description: 'Find all callers of roundPrice' });
  const sub = { agent_id: 'agent-1' };
  const small = { ...sub, model: 'claude-haiku-4-5' };
  hook(11.5, 'SubagentStart', 'plan_step', { agent_type: 'Explore', ...sub }, sub);
  model(16, 4, [2100, 300, 0, 9100], 0.018, small);
  tool([16.4, 16.5], 's1', 'Grep', { pattern: 'roundPrice' }, sub);
  model(22, 4.8, [800, 420, 9100, 800], 0.006, small);
  tool([22.3, 22.4], 's2', 'Read', { file_path: `${cwd}/src/cart/total.ts` }, sub);
  tool(
    [22.5, 30.5],
    's3',
    'Bash',
    { command: 'npm test -- cart' },
    { ...sub, error: 'Exit code 1: 2 of 48 tests failed' },
  );
  model(56, 12, [1500, 900, 9900, 1500], 0.011, small);
  hook(
    57.5,
    'SubagentStop',
    'plan_step',
    { agent_type: 'Explore', ...sub, last_assistant_message: 'Two callers round.' },
    sub,
  );
  model(66, 7.5, [1200, 640, 19_600, 2600], 0.048);
  stop(66.4, 'Both the cart and the invoice round. Only the invoice should; shall I change the cart?');

  prompt(140, 'Yes, change the cart, and deploy to staging');
  model(147, 6, [900, 700, 22_200, 1100], 0.052);
  tool([147.3, 147.35], 'b1', 'Edit', {
    file_path: `${cwd}/src/cart/total.ts`,
    old_string: 'x',
    new_string: 'y',
  });
  tool([151.2, 168], 'b2', 'Bash', { command: 'npm test' });
  model(172, 3.1, [900, 240, 24_200, 1200], 0.034);
  const staging = { command: 'npm run deploy -- --staging' };
  ask(172.3, 'Bash', staging);
  tool([172.2, 231], 'b3', 'Bash', staging, { run_s: 14 });
  const overloaded = { error: 'Overloaded', status_code: '529' };
  const failed = {
    source: 'otel',
    source_event: 'claude_code.api_error',
    event_type: 'error',
    model: 'claude-opus-4-8',
  };
  add(233, { ...failed, duration_ms: 900, metadata: overloaded });
  model(241, 6, [800, 420, 25_400, 1100], 0.041);
  stop(241.3, 'The cart no longer rounds; 48 of 48 tests pass, and staging runs the new build.');

  prompt(600, 'Now production');
  model(606, 5, [900, 300, 26_500, 900], 0.037);
  const production = { command: 'npm run deploy -- --production' };
  start(606.2, 'c1', 'Bash', production);
  ask(606.3, 'Bash', production);
  return events;
}

/** Returns a session of many turns, each with 19 calls of two events, a prompt and an answer. */
export function longSession(session_id: string, count: number): object[] {
  const began = Date.now() - count * 1000;
  const hook = (source_event: string, event_type: string, metadata: object, own: object = {}) => ({
    ...{ session_id, agent_type: 'claude_code', source: 'hook', source_event, event_type, project: 'shop' },
    ...own,
    metadata: { hook_event_name: source_event, ...metadata },
  });
  return Array.from({ length: count }, (_, i) => {
    const at = i % 40;
    const time = { client_timestamp: new Date(began + i * 1000).toISOString() };
    if (at === 0)
      return hook(
        'UserPromptSubmit',
        'user_prompt',
        { prompt: `Prompt ${i / 40 + 1}: mend the next file` },
        time,
      );
    if (at === 39)
      return hook('Stop', 'response', { last_assistant_message: `Answer ${(i - 39) / 40 + 1}` }, time);
    const call_id = `call-${Math.floor((i - 1) / 2)}`;
    const call = { tool_name: 'Bash', tool_input: { command: `npm test -- part-${i}` } };
    if (at % 2 === 1) return hook('PreToolUse', 'plan_step', call, { call_id, tool_name: 'Bash', ...time });
    const status = i % 50 === 0 ? 'error' : 'success';
    return hook('PostToolUse', 'tool_use', call, {
      call_id,
      tool_name: 'Bash',
      duration_ms: i % 900,
      status,
      ...time,
    });
  });
}
