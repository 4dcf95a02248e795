/**
 * Attacks that a page of another origin can try on a server, as one script for that page.
 *
 * A reading attack resolves to the text that it got, an embedding one to `loaded`. Whether a writing one succeeded
 * shows only at the server. Almost every request has the name of its attack in its query, which servers ignore.
 */

/** Attacks that succeed when their page gets the text of a row. */
export const READS = [
  'fetch',
  'fetch with cookies',
  'fetch with a bearer token',
  'fetch of the page',
  'XMLHttpRequest',
  'fetch of the stream',
  'EventSource',
  'EventSource with cookies',
] as const;

/** Attacks that succeed when their page loads something. */
export const EMBEDS = ['script', 'module script', 'style sheet', 'image', 'WebSocket'] as const;

/** Attacks that succeed when the server takes the request. */
export const WRITES = [
  'simple post',
  'simple post with cookies',
  'simple post of a form',
  'form',
  'beacon',
  'preflighted post',
  'preflighted post with a bearer token',
  'preflighted post with cookies',
  'preflighted beacon',
  'simple hook',
  'preflighted hook',
  'simple telemetry',
  'simple call',
  'dismissal',
  'backup',
  'attachment',
  'retention',
  'deletion of events',
  'deletion of a session',
] as const;

export interface Gains {
  readonly [attack: string]: string;
}

/** Defines `attack(base, token, image)`, which resolves to the gains of all attacks. `base` is the server's URL, or empty for the
 * page's own host. `image` is the hash of an image that the server has. */
export const SCRIPT = `
const event = JSON.stringify({ session_id: 'attack', agent_type: 'attacker', event_type: 'tool_use' });
const wait = (work, ms = 3000) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms, ''))]);

function attacks(base, token, image) {
  const to = (path, name) => base + path + (path.includes('?') ? '&' : '?') + 'attack=' + encodeURIComponent(name);
  const text = (init, path = '/api/events') => async (name) => await (await fetch(to(path, name), init)).text();
  const bearer = { authorization: 'Bearer ' + token };
  const json = { 'content-type': 'application/json' };
  const plain = { 'content-type': 'text/plain' };
  const post = (path, init) => text({ method: 'POST', body: event, ...init }, path);
  // Without the name of the attack: these methods refuse unknown parameters (rule GET-07).
  const own = (method, path) => async () => await (await fetch(base + path, { method })).text();
  const source = (init) => (name) =>
    new Promise((resolve) => {
      const stream = new EventSource(to('/api/stream?after=0', name), init);
      stream.onmessage = ({ data }) => {
        if (data.includes('connected')) return;
        stream.close();
        resolve(data);
      };
      stream.onerror = () => {
        stream.close();
        resolve('');
      };
    });
  const element = (tag, fields) => (name) =>
    new Promise((resolve) => {
      const made = Object.assign(document.createElement(tag), fields(name));
      made.onload = () => resolve('loaded');
      made.onerror = () => resolve('');
      document.body.append(made);
    });
  return {
    'fetch': text({}),
    'fetch with cookies': text({ credentials: 'include' }),
    'fetch with a bearer token': text({ headers: bearer }),
    'fetch of the page': text({}, '/'),
    'XMLHttpRequest': (name) =>
      new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open('GET', to('/api/snapshot/events', name));
        request.onloadend = () => resolve(request.responseText);
        request.send();
      }),
    'fetch of the stream': async (name) => {
      const reader = (await fetch(to('/api/stream?after=0', name))).body.getReader();
      let got = '';
      while (!got.includes('"payload"')) {
        const { done, value } = await reader.read();
        if (done) break;
        got += new TextDecoder().decode(value);
      }
      void reader.cancel();
      return got;
    },
    'EventSource': source({}),
    'EventSource with cookies': source({ withCredentials: true }),
    'script': element('script', (name) => ({ src: to('/app.js', name) })),
    'module script': element('script', (name) => ({ type: 'module', src: to('/app.js', name) })),
    'style sheet': element('link', (name) => ({ rel: 'stylesheet', href: to('/app.css', name) })),
    'image': element('img', (name) => ({ src: to('/api/attachments/' + image, name) })),
    'WebSocket': (name) =>
      new Promise((resolve) => {
        const socket = new WebSocket((base || location.origin).replace('http', 'ws') + '/api/stream?attack=' + name);
        socket.onopen = () => resolve('loaded');
        socket.onerror = () => resolve('');
      }),
    'simple post': post('/api/events', { mode: 'no-cors', headers: plain }),
    'simple post with cookies': post('/api/events', { mode: 'no-cors', headers: plain, credentials: 'include' }),
    'simple post of a form': post('/api/events', { mode: 'no-cors', body: new URLSearchParams({ a: event }) }),
    'form': (name) => {
      document.body.insertAdjacentHTML('beforeend', '<iframe name="sink"></iframe><form method="post" target="sink" enctype="text/plain"><input></form>');
      const form = document.forms[0];
      form.action = to('/api/events', name);
      form.elements[0].name = event.slice(0, -1) + ',"x":"';
      form.elements[0].value = '"}';
      form.submit();
      return new Promise((resolve) => setTimeout(resolve, 500, ''));
    },
    'beacon': (name) => void navigator.sendBeacon(to('/api/events', name), event),
    'preflighted post': post('/api/events', { headers: json }),
    'preflighted post with a bearer token': post('/api/events', { headers: { ...json, ...bearer } }),
    'preflighted post with cookies': post('/api/events', { headers: json, credentials: 'include' }),
    'preflighted beacon': (name) =>
      void navigator.sendBeacon(to('/api/events', name), new Blob([event], { type: 'application/json' })),
    'simple hook': post('/api/hooks/claude-code', { mode: 'no-cors', headers: plain }),
    'preflighted hook': post('/api/hooks/claude-code', { headers: json }),
    'simple telemetry': post('/v1/logs', { mode: 'no-cors', headers: plain }),
    'simple call': post('/api/rpc', { mode: 'no-cors', headers: plain }),
    'dismissal': post('/api/sessions/marked/dismiss', { mode: 'no-cors', body: undefined }),
    'backup': post('/api/backup', { mode: 'no-cors', body: undefined }),
    'attachment': text({ method: 'PUT', body: 'x' }, '/api/events/1/attachments/x'),
    'retention': own('PUT', '/api/retention?days=1'),
    'deletion of events': own('DELETE', '/api/events?before=2'),
    'deletion of a session': own('DELETE', '/api/sessions/marked'),
  };
}

window.attack = async (base, token, image) => {
  const names = Object.entries(attacks(base, token, image));
  const gains = names.map(async ([name, work]) => [name, (await wait((async () => work(name))().catch(() => ''))) ?? '']);
  return Object.fromEntries(await Promise.all(gains));
};
`;
