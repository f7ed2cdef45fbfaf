// All routes and what each says of itself, in a file for review. UPDATE=1 writes the file.
import { readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { createPaymentWebhookRoutes } from '../../control-plane/payments/http/console-payment-webhooks.js';
import { type AnyRoute, route } from '../../control-plane/platform/http/route.js';
import { startHarness } from '../harness/harness.js';

const file = new URL('../../../test/access/routes.snapshot', import.meta.url);

/** One line per route, the same facts in the same columns. */
function lines(routes: readonly AnyRoute[]): string[] {
  const cells = routes
    .toSorted((a, b) => (a.path === b.path ? (a.method < b.method ? -1 : 1) : a.path < b.path ? -1 : 1))
    .map((one) => [
      `${one.method.padEnd(6)} ${one.path}`,
      one.level ?? 'public',
      one.operationId,
      actionOf(one),
      one.beyondRecordsLimit === undefined ? '' : `beyond the records limit: ${one.beyondRecordsLimit}`,
      one.confirm ? 'asks again' : '',
      one.belowLink ? 'below a link' : '',
      one.inApiReference ? 'in the reference of the API' : '',
    ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .filter((cell) => cell !== '')
      .join('  ')
      .trimEnd(),
  );
}

function actionOf({ action }: AnyRoute): string {
  if (!action) return '';
  const { name, made, concerns } = action;
  return `${name}${made === undefined ? '' : ` (${made})`} -> ${['audit', ...concerns].join(', ')}`;
}

t.test('the routes are those of the file', async (t) => {
  const h = await startHarness(t);
  const portone = createPaymentWebhookRoutes({ receive: () => Promise.resolve() });
  const text = [
    'Method and path, level, operation id, action (field of the answer with the target) -> what open pages read again.',
    '',
    'The API',
    ...lines(h.api.routes),
    '',
    'The console’s API',
    ...lines([...h.console.routes, ...portone]),
    '',
    'The operator API',
    ...lines(h.operator.routes),
    '',
  ];
  if (process.env.UPDATE === '1') writeFileSync(file, text.join('\n'));
  const added = 'right? then: UPDATE=1 npm test -- test/access/routes.test.ts';
  t.same(text, readFileSync(file, 'utf8').split('\n'), added);
});

t.test('operation ids are unique in a document, actions are `resource.verb`', async (t) => {
  const h = await startHarness(t);
  for (const url of ['/api/v1', '/api/runner', '/api/operator']) {
    const answer = await h.inject({ method: 'GET', url: `${url}/openapi.json?form=full` });
    const ids = Object.values<Record<string, { operationId?: string }>>(answer.json().paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId }]) =>
        /^(get|post|put|patch|delete)$/.test(method) ? [operationId ?? `none of ${method}`] : [],
      ),
    );
    t.ok(ids.length > 10, url);
    t.same(ids.toSorted(), [...new Set(ids)].toSorted(), url);
    for (const id of ids) t.match(id, /^[a-z][A-Za-z]+$/);
  }
  for (const { action, path } of [...h.api.routes, ...h.console.routes, ...h.operator.routes]) {
    if (action) t.match(action.name, /^[a-z_]+\.[a-z_]+$/, path);
  }
});

t.test('a route says its level, and a change its action, or it does not compile', async (t) => {
  const rest = { path: '/x', operationId: 'x', summary: 'For tests', responses: {} };
  const handle = async () => ({ status: 204, body: null });
  // @ts-expect-error: no level
  t.ok(route({ ...rest, method: 'GET', handle }));
  // @ts-expect-error: no action
  t.ok(route({ ...rest, method: 'POST', level: 'build', handle }));
  // @ts-expect-error: a link shows a build and changes nothing
  t.ok(route({ ...rest, method: 'POST', level: 'build', action: null, belowLink: true, handle }));
  // @ts-expect-error: reading is no action
  t.ok(route({ ...rest, method: 'GET', level: 'read', action: { name: 'x.read', concerns: [] }, handle }));
});
