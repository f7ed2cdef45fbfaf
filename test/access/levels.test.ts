// The level that each endpoint needs, as the contract lists them, compared with the routes, the reference and the answers.
import t from 'tap';
import { type Level, levels } from '../../control-plane/platform/domain/caller.js';
import { startHarness } from '../harness/harness.js';

const contract: Readonly<Record<string, Level>> = {
  'GET /me': 'read',
  'GET /account': 'read',
  'GET /catalog': 'read',
  'GET /status': 'read',
  'GET /queue': 'read',
  'GET /pool': 'read',
  'GET /agent/start': 'read',
  'POST /quote': 'read',
  'POST /orders': 'manage',
  'GET /orders': 'read',
  'GET /orders/:order_no': 'read',
  'GET /orders/:order_no/wait': 'read',
  'GET /rentals': 'read',
  'GET /rentals/:rental_id': 'read',
  'PATCH /rentals/:rental_id': 'manage',
  'POST /rentals/:rental_id/extend/quote': 'read',
  'POST /rentals/extend/quote': 'read',
  'POST /rentals/:rental_id/extend': 'manage',
  'POST /rentals/extend': 'manage',
  'POST /rentals/reset': 'manage',
  'POST /rentals/:rental_id/reset': 'manage',
  'POST /rentals/xcode': 'manage',
  'POST /rentals/:rental_id/xcode': 'manage',
  'GET /jobs/:job_id': 'read',
  'POST /rentals/batch': 'manage',
  'GET /waitlist': 'read',
  'POST /waitlist': 'manage',
  'DELETE /waitlist/:id': 'manage',
  'POST /uploads': 'build',
  'POST /uploads/:id/blobs': 'build',
  'GET /uploads/:id': 'read',
  'POST /uploads/tar': 'build',
  'POST /builds': 'build',
  'GET /builds': 'read',
  'GET /builds/:build_id': 'read',
  'PATCH /builds/:build_id': 'build',
  'GET /builds/:build_id/wait': 'read',
  'GET /builds/:build_id/log': 'read',
  'POST /builds/:build_id/cancel': 'build',
  'GET /secrets': 'read',
  'PUT /secrets/:name': 'manage',
  'DELETE /secrets/:name': 'manage',
  'GET /errors': 'read',
  'POST /webhooks': 'manage',
};

t.test('every endpoint of the contract needs the level that it names', async (t) => {
  const { api, call, keys } = await startHarness(t);
  const document = (await call('GET', '/openapi.json')).json();
  const found = new Map(api.routes.map((route) => [`${route.method} ${route.path}`, route]));
  for (const [name, level] of Object.entries(contract)) {
    const [method = '', path = ''] = name.split(' ');
    t.equal(found.get(name)?.level, level, name);
    const described = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    t.equal(described?.['x-level'], level, `${name} in the reference`);
    for (const held of levels) {
      const answer = await call(method, path.replace(/:\w+/g, 'NAME'), {
        key: keys[held],
        headers: { 'content-type': found.get(name)?.rawBody?.[0] ?? 'application/json' },
      });
      // Level errors come before any other; without one the request is refused for what it lacks.
      t.equal(answer.statusCode === 403, held !== level, `${name} with the level ${held}`);
    }
  }
});

/** The console's API, for keys: the permission read for every key, the permission run (`build`, `manage`) for changes. */
const contractOfConsole: Readonly<Record<string, Level>> = {
  'GET /v1/files': 'read',
  'DELETE /v1/files/:file_id': 'build',
  'GET /v1/jobs/:job_id/artifacts/:file_id': 'read',
  'POST /v1/jobs/:job_id/artifacts/contents': 'read',
};

t.test('keys need in the console’s API what the contract says', async (t) => {
  const { console, keys, inject } = await startHarness(t);
  const found = new Map(console.routes.map((route) => [`${route.method} ${route.path}`, route]));
  for (const [name, level] of Object.entries(contractOfConsole)) {
    t.equal(found.get(name)?.level, level, name);
    const [method = '', path = ''] = name.split(' ');
    for (const held of levels) {
      const url = `/api/runner${path.replace(/:\w+/g, 'NAME')}`;
      const answer = await inject({
        method: method as 'GET' | 'POST' | 'DELETE',
        url,
        headers: { authorization: `Bearer ${keys[held]}` },
      });
      t.equal(answer.statusCode === 403, level === 'build' && held === 'read', `${name} with the level ${held}`);
    }
  }
});

t.test('what the contract does not list: reading needs read, changing needs build or manage', async (t) => {
  const { api } = await startHarness(t);
  const others = api.routes.filter(({ method, path }) => !Object.hasOwn(contract, `${method} ${path}`));
  for (const { method, path, level, ignoresUnknown } of others) {
    if (path === '/openapi.json' || ignoresUnknown) t.equal(level, null, path);
    else t.equal(level === 'read', method === 'GET', `${method} ${path}`);
  }
});
