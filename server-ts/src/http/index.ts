/**
 * Routes every request, and runs the checks before a handler (rule HTT-02).
 *
 * Express matches routes on the raw path, by its router alone. Its path decoding, its answers to OPTIONS and HEAD of
 * unknown paths, its headers and its body parsers are not used. Nor is its application, which changes the prototype
 * of every request and response (decision 35). Holds no SQL; `reply` alone chooses statuses.
 *
 * Over 250 lines because every route has its handler here.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import type { App } from '../app.ts';
import { nowS } from '../clock.ts';
import type { RoutePath } from '../contract/routes.ts';
import { ROUTE_OF, ROUTES, type RouteSpec } from '../contract.ts';
import { Failure } from '../error.ts';
import { isExport } from '../formats/index.ts';
import { HOOK_PATHS } from '../hooks.ts';
import { Meters } from '../meters.ts';
import { ReadFailed } from '../store/reader.ts';
import { getAttachment, getAttachments, putAttachment } from './attachments.ts';
import { postBackup } from './backup.ts';
import { postEcho, postSink } from './bench.ts';
import { getBenchPage, getBenchScript, getBenchStyles, getBenchWorker } from './bench-page.ts';
import { getBlob } from './blob.ts';
import { getEvent, listEvents, postBatch, postEvent } from './events.ts';
import type { Exchange } from './exchange.ts';
import { checkHead, readHead } from './head.ts';
import { getHealth, getLive, getOpenApi, getReady } from './health.ts';
import { postHook } from './hooks.ts';
import { getMetrics } from './metrics.ts';
import { chooseAnswer, hasChoice } from './negotiation.ts';
import { getPage, getScript, getStyles } from './page.ts';
import { type Parameters, readParameters } from './parameters.ts';
import * as reply from './reply.ts';
import { deleteEvents, deleteSession, getRetention, putRetention } from './retention.ts';
import { getSchema, postRpc } from './rpc.ts';
import { getSeries } from './series.ts';
import { dismissSession, getSession, listSessions } from './sessions.ts';
import { getSnapshot } from './snapshot.ts';
import { getCosts, getFilterOptions, getStats, getTools } from './stats.ts';
import { openStream } from './stream.ts';
import { postTelemetry, wrongPath } from './telemetry.ts';

/** Answers a request that has passed the checks of its route; throws a failure. */
type Handler = (app: App, exchange: Exchange, parameters: Parameters) => Promise<void> | void;

/** Facts about the request that express passes along. */
interface Local {
  exchange: Exchange;
}

/** A route with a fixed path goes before a route with a parameter in its path. */
const [exactRoutes, openRoutes] = [false, true].map((isOpen) =>
  ROUTES.filter(({ path }) => path.includes('{') === isOpen),
) as [RouteSpec[], RouteSpec[]];

/** Returns the listener that serves every route. */
export function buildRoutes(app: App): RequestListener {
  const routes = express.Router({ caseSensitive: true, strict: true });
  const on = (path: RoutePath, handler: Handler) =>
    [pathOf(path), endpoint(app, ROUTE_OF[path], handler)] as const;

  // The most frequent routes come first.
  routes.use(guarded(app));
  routes.post(...on('/api/events/batch', postBatch));
  routes.post(...on('/api/events', postEvent));
  for (const path of HOOK_PATHS) routes.post(...on(path, postHook));
  routes.post(...on('/v1/logs', postTelemetry));
  routes.post(...on('/v1/metrics', postTelemetry));
  routes.post(...on('/v1/traces', postTelemetry));
  routes.post(...on('/api/rpc', postRpc));
  routes.get(...on('/api/snapshot/events', getSnapshot));
  routes.get(...on('/api/snapshot/{topic}', getSnapshot));
  routes.get(...on('/api/events', listEvents));
  routes.get(...on('/api/sessions', listSessions));
  routes.get(...on('/api/stats', getStats));
  routes.get(...on('/api/stats/tools', getTools));
  routes.get(...on('/api/stats/cost', getCosts));
  routes.get(...on('/api/series', getSeries));
  routes.get(...on('/api/filter-options', getFilterOptions));
  routes.get(...on('/api/stream', openStream));
  routes.delete(...on('/api/events', deleteEvents));
  routes.get(...on('/api/retention', getRetention));
  routes.put(...on('/api/retention', putRetention));
  routes.post(...on('/api/backup', postBackup));
  routes.get(...on('/api/health', getHealth));
  routes.get(...on('/', getPage));
  routes.get(...on('/app.js', getScript));
  routes.get(...on('/app.css', getStyles));
  routes.get(...on('/livez', getLive));
  routes.get(...on('/readyz', getReady));
  routes.get(...on('/metrics', getMetrics));
  routes.get(...on('/api/openapi.json', getOpenApi));
  routes.get(...on('/api/rpc/schema', getSchema));
  if (app.config.bench) {
    routes.post(...on('/bench/sink', postSink));
    routes.post(...on('/bench/echo', postEcho));
    routes.get(...on('/bench/blob', getBlob));
    routes.get(...on('/bench/', getBenchPage));
    routes.get(...on('/bench/app.js', getBenchScript));
    routes.get(...on('/bench/worker.js', getBenchWorker));
    routes.get(...on('/bench/app.css', getBenchStyles));
  }
  for (const route of exactRoutes) {
    if (route.bench !== true || app.config.bench) routes.all(route.path, otherMethod(app, route));
  }
  routes.get(...on('/api/events/{id}', getEvent));
  routes.get(...on('/api/events/{id}/attachments', getAttachments));
  routes.put(...on('/api/events/{id}/attachments/{name}', putAttachment));
  routes.get(...on('/api/attachments/{sha256}', getAttachment));
  routes.get(...on('/api/sessions/{id}', getSession));
  routes.delete(...on('/api/sessions/{id}', deleteSession));
  routes.post(...on('/api/sessions/{id}/dismiss', dismissSession));
  for (const route of openRoutes) routes.all(pathOf(route.path), otherMethod(app, route));
  routes.use((_request: Request, response: Response) => {
    const exchange = exchangeOf(response);
    reply.failure(exchange, misplaced(app, exchange, 'not_found'));
  });
  routes.use(failed(app));
  return firstChecks(app, routes);
}

/** Checks the raw head before express sees the request. */
function firstChecks(app: App, routes: Router): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const startedMs = performance.now();
    const head = readHead(request);
    const problem = checkHead(head, request);
    const { meters } = app.store;
    const isRefused = problem !== undefined;
    const exchange: Exchange = {
      request,
      response,
      head,
      meters,
      answers: app.answers,
      startedMs,
      routePlace: meters.routeOf(isRefused ? '' : head.path),
      methodPlace: Meters.methodOf(isRefused ? '' : head.method),
      origin: undefined,
      route: undefined,
      answer: undefined,
      telemetry: undefined,
      hasChoice: false,
      bodyTaken: false,
      staleness: undefined,
      isDraining: () => app.isDraining,
    };
    request.on('error', () => {});
    if (problem !== undefined) {
      reply.failure(exchange, problem);
    } else {
      // The raw path: express does not need the query, and must not interpret fragments.
      request.url = head.path;
      const locals: Local = { exchange };
      routes(request as Request, Object.assign(response, { locals }) as unknown as Response, (error) => {
        // Sending the failure failed too, so this is the last place to end the response.
        app.log.error({ reason: reasonOf(error) }, 'request failed');
        request.socket.destroy();
      });
    }
  };
}

/** Checks Host, Origin, Fetch metadata, preflight, token and draining. */
function guarded(app: App) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    const exchange = exchangeOf(response);
    const verdict = app.guard.check(exchange.head, nowS());
    exchange.origin = verdict.origin;
    switch (verdict.kind) {
      case 'refuse':
        app.refusals.note(verdict.failure, performance.now());
        reply.failure(exchange, verdict.failure);
        break;
      case 'preflight':
        reply.preflight(exchange);
        break;
      case 'cookie':
        reply.signedIn(exchange, verdict.cookie);
        break;
      case 'pass':
        if (app.isDraining && !verdict.isFree) reply.failure(exchange, new Failure('draining', {}, true));
        else {
          app.activity.begin(exchange.response);
          next();
        }
        break;
    }
  };
}

/** Checks Accept, Expect and query, then calls the handler. */
function endpoint(app: App, route: RouteSpec, handler: Handler) {
  const isRead = route.parameters.includes('min_seq');
  return (_request: Request, response: Response): Promise<void> | void => {
    const exchange = exchangeOf(response);
    const { head } = exchange;
    exchange.route = route;
    exchange.hasChoice = hasChoice(head, route);
    exchange.answer = chooseAnswer(head, route);
    const expected = head.headers.get('expect') ?? [];
    if (expected.some((value) => value.toLowerCase() !== '100-continue')) {
      throw new Failure('expectation_failed');
    }
    const parameters = readParameters(head.query, route, head.method, isExport(exchange.answer.format));
    if (!isRead || (head.method !== 'GET' && head.method !== 'HEAD'))
      return handler(app, exchange, parameters);
    if (app.cluster !== undefined) exchange.staleness = () => app.staleness;
    const sequence = parameters.number('min_seq');
    if (sequence === undefined) return handler(app, exchange, parameters);
    return app.awaitSequence(sequence).then(() => handler(app, exchange, parameters));
  };
}

/** Answers OPTIONS, and 405 for other methods, on a route that exists (rule HTT-04). */
function otherMethod(app: App, route: RouteSpec) {
  const methods = route.methods.includes('GET') ? [...route.methods, 'HEAD'] : [...route.methods];
  const allow = methods.sort().join(', ');
  return (request: Request, response: Response): void => {
    const exchange = exchangeOf(response);
    if (request.method === 'OPTIONS') reply.options(exchange, allow);
    else reply.failure(exchange, misplaced(app, exchange, 'method_not_allowed'), allow);
  };
}

/** Returns the failure of a request without a route, with a hint for exporters of telemetry (rule OTL-13). */
function misplaced(app: App, { head }: Exchange, code: 'not_found' | 'method_not_allowed'): Failure {
  const message = wrongPath(app, head);
  return new Failure(code, message === undefined ? {} : { message });
}

/** Answers an error that a handler threw. Express recognises an error handler by its four parameters. */
function failed(app: App) {
  return (error: unknown, _request: Request, response: Response, _next: NextFunction): void => {
    const exchange = exchangeOf(response);
    if (error instanceof Failure) {
      reply.failure(exchange, error);
    } else if (error instanceof ReadFailed) {
      if (!error.isDropped) app.log.error({ code: error.code, reason: error.message }, 'read failed');
      reply.failure(exchange, new Failure(error.code));
    } else {
      app.log.error({ reason: reasonOf(error) }, 'request failed');
      reply.failure(exchange, new Failure('internal'));
    }
  };
}

function reasonOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : String(error);
}

function exchangeOf(response: Response): Exchange {
  return (response.locals as Local).exchange;
}

/** Returns the path for express: a pattern without captures, so that express decodes nothing (rule HTT-03). */
function pathOf(path: string): string | RegExp {
  if (!path.includes('{')) return path;
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
