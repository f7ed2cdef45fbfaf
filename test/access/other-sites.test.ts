// Pages of other sites that use the session of the person who looks at them: no route that changes something answers them.
import t from 'tap';
import type { AnyRoute } from '../../control-plane/platform/http/route.js';
import { startHarness } from '../harness/harness.js';

const safe = new Set(['GET', 'HEAD']);

/** What a browser sends with a request of another site: Fetch Metadata, or only Origin where it has none. */
const senders = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { origin: 'https://evil.example' },
];

t.test('no unsafe route of any API takes a session from another site', async (t) => {
  const h = await startHarness(t, { siteUrl: 'https://macs.test' });
  const cookie = await h.signIn('owner', { operator: true });
  const apis: readonly [string, readonly AnyRoute[]][] = [
    [`/api/runner/v1/organizations/${h.org.orgId}/agent`, h.api.routes],
    ['/api/runner', h.console.routes],
    ['/api/operator', h.operator.routes],
  ];
  // They read no cookie: retired addresses, reports of leaked keys, and what only keys may use.
  const withoutSession = ({ level, sameOrigin, consoleOnly, sessionScope }: AnyRoute, root: string) =>
    level === null ? !sameOrigin : root === '/api/runner' && !consoleOnly && sessionScope === undefined;
  const others: string[] = [];
  let tried = 0;
  for (const [root, routes] of apis) {
    for (const route of routes.filter(({ method }) => !safe.has(method))) {
      const name = `${route.method} ${root}${route.path}`;
      if (withoutSession(route, root) && !route.path.includes(':org_id')) {
        others.push(`${route.method} ${route.path}`);
        continue;
      }
      const url = root + route.path.replace(':org_id', h.org.orgId).replaceAll(/:\w+/g, 'x1');
      for (const headers of senders) {
        // As a form of another site can send it, without a preflight request.
        const simple = { ...headers, cookie, 'content-type': 'text/plain' };
        const method = route.method as 'POST' | 'PUT' | 'PATCH' | 'DELETE';
        const answer = await h.inject({ method, url, headers: simple, payload: '{}' });
        const { error } = answer.json();
        const code = typeof error === 'string' ? error : error.code;
        if (answer.statusCode !== 403 || code !== 'forbidden') t.fail(`${name}: ${answer.statusCode} ${code}`);
        tried++;
      }
    }
  }
  t.ok(tried > 100, `${tried} requests`);
  t.same(others.sort(), [
    'DELETE /jobs',
    'DELETE /orders/:order_no',
    'PATCH /jobs',
    'POST /jobs',
    'POST /orders/:order_no/cancel',
    'POST /v1/jobs/:job_id/artifacts/contents',
    'POST /v1/leaked-keys',
    'PUT /jobs',
  ]);
});
