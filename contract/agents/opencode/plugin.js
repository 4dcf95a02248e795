// twin-ingest connect opencode wrote this file, and its --undo removes it. Sends what OpenCode does to a server of twin-ingest:
// sessions, calls with their input, tokens and cost. Prompts, answers and the output of tools are not sent.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { basename } from 'node:path';

const ORIGIN = 'http://127.0.0.1:3141';
const TOKEN_FILE = null;

/** For each subagent's session, the session that started it. */
const parents = new Map();

/** Returns the fields of each event type that becomes an event. */
const readers = {
  'session.created': ({ info: { id, parentID } }) => {
    if (parentID) parents.set(id, parentID);
    return { event_id: id, event_type: parentID ? 'plan_step' : 'session_start' };
  },
  'session.idle': () => ({ event_type: 'response' }),
  'session.error': ({ error }) => ({ event_type: 'error', metadata: { error: error?.name } }),
  'permission.asked': ({ permission }) => ({ event_type: 'plan_step', metadata: { permission } }),
  'message.updated': ({ info: { id, role, modelID, cost, tokens, time } }) => {
    if (role === 'user') return { event_id: id, event_type: 'user_prompt' };
    if (!time.completed || !tokens) return null;
    const sums = { tokens_in: tokens.input, tokens_out: tokens.output + tokens.reasoning, cost_usd: cost };
    const cache = { cache_read_tokens: tokens.cache.read, cache_write_tokens: tokens.cache.write };
    const call = { model: modelID, duration_ms: time.completed - time.created };
    return { event_id: id, event_type: 'llm_response', ...call, ...sums, ...cache };
  },
  'message.part.updated': ({ part: { type, id, tool, callID, state } }) => {
    if (type !== 'tool' || state.status === 'pending') return null;
    const call = { tool_name: tool, call_id: callID, metadata: { input: state.input } };
    if (state.status === 'running') return { event_id: `${id}:running`, event_type: 'plan_step', ...call };
    const status = state.status === 'error' ? 'error' : 'success';
    const duration_ms = state.time.end - state.time.start;
    return { event_id: id, event_type: 'tool_use', status, duration_ms, ...call };
  },
};

/** Without a proxy on this machine, which no proxy reaches: `fetch` would use that of HTTP_PROXY. */
const agent = new Agent({ keepAlive: true });
function post(url, options, body) {
  if (!/^http:\/\/(127\.|\[::1\]|([^:]+\.)?localhost(:|\/))/.test(url))
    return fetch(url, { ...options, body });
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent }, (response) => response.resume().on('close', resolve));
    sent.on('error', reject).end(body);
  });
}

export const TwinIngest = async ({ directory }) => {
  async function send({ type, id, properties }) {
    const fields = readers[type]?.(properties);
    if (!fields) return;
    const session = properties.sessionID;
    let root = session;
    while (parents.has(root)) root = parents.get(root);
    const from = { agent_type: 'opencode', source: 'hook', source_event: type, project: basename(directory) };
    const ids = { event_id: id, session_id: root, agent_id: root === session ? null : session };
    const headers = { 'content-type': 'application/json' };
    if (TOKEN_FILE !== null) headers.authorization = `Bearer ${(await readFile(TOKEN_FILE, 'utf8')).trim()}`;
    const body = JSON.stringify({ ...from, ...ids, ...fields });
    await post(`${ORIGIN}/api/events`, { method: 'POST', headers, signal: AbortSignal.timeout(2000) }, body);
  }
  // OpenCode continues whether or not a server accepts the event.
  return { event: ({ event }) => send(event).catch(() => undefined) };
};
