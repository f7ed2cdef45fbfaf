// What is suggested after an error, for every code that any operation may answer.
import t from 'tap';
import { levels } from '../../control-plane/platform/domain/caller.js';
import { ApiError, type ErrorCode } from '../../control-plane/platform/domain/error-catalog.js';
import { createSuggest } from '../../control-plane/platform/http/api-next.js';
import { createRouteIndex } from '../../control-plane/platform/http/route-index.js';
import { codesOf } from '../harness/conformance.js';
import { startHarness } from '../harness/harness.js';

/** The code that throws them says what to do next; its own tests follow that. */
const saidByTheThrower: readonly ErrorCode[] = [
  'too_many_pending_orders',
  'available_now',
  'extension_pending',
  'extension_unavailable',
  'storage_quota_exceeded',
];
/** The same request again, with the time that the error names; a read is suggested, a write cannot be. */
const repeated: readonly ErrorCode[] = [
  'internal_error',
  'uploads_unavailable',
  'storage_full',
  'database_unavailable',
  'secrets_unavailable',
];

t.test('every code of every operation suggests a request that can be sent', async (t) => {
  const { api, call } = await startHarness(t);
  const index = createRouteIndex(api.routes);
  const suggest = createSuggest('/api/v1', index);
  const document = (await call('GET', '/openapi.json', { key: null })).json();
  const ids = { rental_id: 'rt_1', build_id: 'rb_1', order_no: 'RT-1', job_id: 'op_1', webhook_id: 'wh_1' };
  const params: Record<string, string> = { ...ids, id: 'up_1', name: 'NAME', delivery_id: 'dl_1' };
  const seen = new Set<ErrorCode>();
  for (const [path, operations] of Object.entries<Record<string, Operation>>(document.paths)) {
    const url = `/api/v1${path.replace(/\{([a-z_]+)\}/g, (_, name: string) => params[name] ?? name)}`;
    // Paths of the console's API have errors in another format, without suggestions.
    if ('servers' in operations) continue;
    for (const [name, { security }] of Object.entries(operations)) {
      if (name === 'parameters') continue;
      const method = name.toUpperCase();
      // The permissions of a caller without a key are not known.
      const asks = security?.length === 0 ? null : levels;
      for (const code of codesOf(document, path, name)) {
        if (saidByTheThrower.includes(code) || (method !== 'GET' && repeated.includes(code))) continue;
        seen.add(code);
        const error = new ApiError(code, { detail: { job_id: 'op_1', upload_id: 'up_1' } });
        const about = { requestId: 'r', siteUrl: 'https://x', method, url, params, body: {}, levels: asks };
        const next = suggest(error, about);
        if (next.length === 0) t.fail(`${method} ${path} answers ${code} and suggests nothing`);
        for (const one of next) {
          // The page of the code itself; the pages' own test follows it.
          if (one.method === 'GET' && one.path === `/docs/errors/${code}.md`) continue;
          const route = index.match(one.method, one.path.slice('/api/v1'.length).split('?')[0] ?? '');
          const fits = one.path === '/agent-start.md' || (route && (one.method !== 'GET' || !one.body));
          if (!fits) t.fail(`${code} suggests ${one.method} ${one.path}`);
        }
      }
    }
  }
  t.ok(seen.size > 80, `${seen.size} codes`);
});

interface Operation {
  security?: object[];
}
