// POST /builds/{id}/rerun: the same request again, of the same commit or upload.
import t from 'tap';
import { entriesOf } from '../access/audit-entries.js';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

const SHA = '0123456789abcdef0123456789abcdef01234567';

t.test('a rerun repeats the whole request for the commit that was checked out', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const host = await startBuildHost(h, { macs: 1 });
  const request = {
    repo: 'a/b',
    ref: 'main',
    pr: 7,
    script: 'make test',
    timeout_min: 9,
    priority: 1,
    clean_tree: true,
    queue_until_rental: true,
    rental_id: host.rentals[0],
    notify_url: 'https://hooks.example.com/x',
  };
  const first = (await h.call('POST', '/builds', { body: request })).json();
  t.equal(first.rerun_of, null);
  await h.workers.idle();
  await host.start();
  await host.finish(first.id, { outcome: 'exited', exit_code: 1, commit_sha: SHA });

  const headers = { 'idempotency-key': 'again-please' };
  const answer = await h.call('POST', `/builds/${first.id}/rerun`, { key: h.keys.build, headers });
  t.equal(answer.statusCode, 201);
  const again = answer.json();
  t.match(again, {
    repo: 'a/b',
    ref: 'main',
    pr: 7,
    script: 'make test',
    timeout_min: 9,
    priority: 1,
    commit: SHA,
    clean_tree: true,
    queue_until_rental: true,
    pinned_rental_id: host.rentals[0],
    status: 'queued',
    rerun_of: first.id,
    notify: { url: 'https://hooks.example.com/x' },
  });
  t.not(again.id, first.id);
  t.not(again.notify.secret, first.notify.secret);
  const repeated = await h.call('POST', `/builds/${first.id}/rerun`, { key: h.keys.build, headers });
  t.equal(repeated.body, answer.body, 'a retried request creates one build');
  t.equal((await h.call('GET', `/builds/${again.id}`)).json().rerun_of, first.id);

  const refused = await h.call('POST', `/builds/${first.id}/rerun`, { key: h.keys.read });
  t.equal(refused.json().error.code, 'api_key_read_only');
  t.equal((await h.call('POST', '/builds/rb_none/rerun')).json().error.code, 'build_not_found');
  const body = { script: 'other' };
  t.equal((await h.call('POST', `/builds/${first.id}/rerun`, { body })).json().error.code, 'invalid_build');
});

t.test('a rerun of an upload uses the upload again, and says when it is gone', async (t) => {
  // Without a Mac no build starts, so that each has ended as soon as it is cancelled.
  const h = await startHarness(t);
  const { announce, sendBlobs } = uploader(h);
  const { id } = (await announce(manifestOf({ a: 'x' }))).json();
  await sendBlobs(id, [record('x')]);
  const body = { upload_id: id, script: 'make', queue_until_rental: true };
  const first = (await h.call('POST', '/builds', { body })).json();
  await h.call('POST', `/builds/${first.id}/cancel`);
  const again = (await h.call('POST', `/builds/${first.id}/rerun`)).json();
  t.match(again, { upload_id: id, project: first.project, rerun_of: first.id });
  await h.call('POST', `/builds/${again.id}/cancel`);

  t.equal((await h.callConsole('DELETE', `/v1/files/${id}`)).statusCode, 204);
  const gone = await h.call('POST', `/builds/${first.id}/rerun`);
  t.match([gone.statusCode, gone.json().error.code], [404, 'upload_not_found']);
  const { project } = (await h.call('GET', `/builds/${first.id}`)).json();
  t.equal(project, manifestOf({}).project, 'still named');
  t.match(gone.json().error.message, new RegExp(`The folder that ${first.id} was built from .*deleted`));
});

t.test('a person reruns a build in the workspace of that build, and the audit log names the new one', async (t) => {
  const h = await startHarness(t);
  await startBuildHost(h, { macs: 1 });
  const owner = { key: null, headers: { cookie: await h.signIn('owner') } };
  const org = `/v1/organizations/${h.org.orgId}`;
  const second = (await h.callConsole('POST', `${org}/workspaces`, { ...owner, body: { name: 'iOS' } })).json().id;
  const key = await h.createKey(['read', 'build'], { workspaceId: second });
  const first = (await h.call('POST', '/builds', { key, body: { repo: 'a/b', script: 'make' } })).json();
  const again = (await h.callConsole('POST', `${org}/agent/builds/${first.id}/rerun`, owner)).json();
  t.equal((await h.call('GET', `/builds/${again.id}`, { key })).json().rerun_of, first.id, 'the key sees it');
  const entries = (await entriesOf(h)).filter(({ action }) => action === 'build.create');
  t.match(entries, [{ actorKind: 'person', target: again.id, result: 'ok' }]);
  const developer = { key: null, headers: { cookie: await h.signIn('developer') } };
  const hidden = await h.callConsole('POST', `${org}/agent/builds/${first.id}/rerun`, developer);
  t.equal(hidden.json().error.code, 'build_not_found');
});
