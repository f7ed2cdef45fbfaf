// Requests to a service in this process. Every API response is checked against its OpenAPI document.
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { z } from 'zod';
import type { Composition } from '../../control-plane/compose/compose.js';
import { apiError } from '../../control-plane/compose/http/routes.js';
import { webhooksSection } from '../../control-plane/events/http/openapi-webhooks.js';
import { API_ROOT, CONSOLE_ROOT, OPERATOR_ROOT } from '../../control-plane/platform/domain/addresses.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { apiCodes } from '../../control-plane/platform/http/api-envelope.js';
import { consoleCodes, consoleError, operatorError } from '../../control-plane/platform/http/console-envelope.js';
import { openApiSteps } from '../../control-plane/platform/http/openapi.js';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import type { ClassCodes } from '../../control-plane/platform/http/validation.js';
import { createConformance } from './conformance.js';

/** Additional error codes of the API under the console's address, which accepts sessions. */
const ofSessions = [
  'session_required',
  'console_only',
  'insufficient_permission',
  'forbidden',
  'confirmation_required',
] as const;

export interface CallOptions {
  /** Null: no Authorization header. Default: the key with every level. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

function all<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}

/**
 * @param options.key default key of a call
 * @param options.extra routes of this service alone; the checks of the others are compiled once per process
 */
export function createCheckedCalls(
  service: Pick<Composition, 'server' | 'apiRoutes' | 'consoleRoutes' | 'operatorRoutes'> & {
    /** Resolves when the work in the background has ended that a request has begun. */
    settled?(): Promise<void>;
  },
  { siteUrl, key: usualKey, extra }: { siteUrl: string; key: string; extra: ReadonlySet<AnyRoute> },
) {
  const checked = (routes: readonly AnyRoute[], root: string, error: z.ZodType, codes: ClassCodes) => {
    const url = siteUrl + root;
    const limits = defaultLimits;
    const webhooks = root === API_ROOT ? { webhooks: webhooksSection(limits) } : {};
    const documentOf = (some: readonly AnyRoute[]) => () =>
      all(openApiSteps(some, { title: 'under test', url, error, codes, limits, ...webhooks }, 'brief'));
    const usual = routes.filter((route) => !extra.has(route));
    const own = routes.filter((route) => extra.has(route));
    const name = [root, ...usual.map(({ method, path }) => `${method} ${path}`)].join();
    const conformance = createConformance(documentOf(usual), root, name);
    const ofOwn = createConformance(documentOf(own), root, null);
    const patterns = own.map(({ path }) => new RegExp(`^${root}${path.replace(/:\w+/g, '[^/]+')}(?:\\?|$)`));
    return {
      routes,
      conformance,
      check: (...[method, at, answer, also]: Parameters<typeof conformance.check>) =>
        (patterns.some((one) => one.test(at)) ? ofOwn : conformance).check(method, at, answer, also),
    };
  };
  const api = checked(service.apiRoutes, API_ROOT, apiError, apiCodes);
  const console = checked(service.consoleRoutes, CONSOLE_ROOT, consoleError, consoleCodes);
  const operator = checked(service.operatorRoutes, OPERATOR_ROOT, operatorError, consoleCodes);

  /** Sends a request; `url` starts at the site's root. Throws when the response is not declared in the document. */
  const inject = async (request: InjectOptions): Promise<LightMyRequestResponse> => {
    const answer = await service.server.inject(request);
    await service.settled?.();
    const url = String(request.url);
    const below = /^\/api\/runner\/v1\/(organizations|shared)\/[^/]+\/agent(?=\/)/.exec(url)?.[0];
    // The console and links to builds have routes of the API at another address.
    const described = below === undefined ? url : API_ROOT + url.slice(below.length);
    // Each of these addresses can return not found, because the organization or the link may not exist.
    if (below !== undefined && answer.statusCode === 404) return answer;
    const asked = described.startsWith(`${API_ROOT}/`)
      ? api
      : url.startsWith(`${CONSOLE_ROOT}/`)
        ? console
        : url.startsWith(`${OPERATOR_ROOT}/`)
          ? operator
          : null;
    const also = below === undefined ? [] : ofSessions;
    const wrong = asked?.check(request.method ?? 'GET', described, answer, also) ?? null;
    if (wrong !== null) throw new Error(wrong);
    return answer;
  };
  const sendBelow =
    (prefix: string) =>
    (method: string, path: string, { key = usualKey, body, headers = {} }: CallOptions = {}) =>
      inject({
        method: method as 'GET',
        url: prefix + path,
        headers: {
          'service-error-format': '2',
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
  return {
    api,
    console,
    operator,
    inject,
    /** The API: `path` is below base_url; errors are in format 2. */
    call: sendBelow(API_ROOT),
    /** The console's API: `path` is below runner_url. */
    callConsole: sendBelow(CONSOLE_ROOT),
  };
}
