// Ctrl-C and SIGTERM while a build runs.
import { createServer } from 'node:net';
import t from 'tap';
import { setUp } from './scripted-place.js';
import { spawnCli } from './spawn-cli.js';

t.test('Ctrl-C once cancels, twice leaves the build running', async (t) => {
  const { service, place } = await setUp(t);
  service.onSubmit = (build) => build.append('running\n');
  const started = async (args: string[] = []) => {
    const running = spawnCli(place, ['build', '--script', 'make', ...args]);
    await running.until('stdout', 'running\n');
    service.requests.length = 0;
    return running;
  };
  const once = await started();
  once.child.kill('SIGINT');
  await once.until('stderr', 'Ctrl-C again leaves it running');
  t.match(await once.done, {
    code: 130,
    stderr: /Canceling rb_000001.*\n✗ rb_000001 cancelled: cancelled_by_user/,
  });
  t.equal(service.builds.get('rb_000001')?.view.status, 'cancelled');

  const twice = await started();
  twice.child.kill('SIGINT');
  await twice.until('stderr', 'Ctrl-C again leaves it running');
  twice.child.kill('SIGINT');
  t.match(await twice.done, { code: 130, stderr: /rb_000002 goes on: cidermill logs -f rb_000002/ });
  t.equal(service.builds.get('rb_000002')?.view.status, 'running');
  t.equal(service.seen('POST /builds/*/cancel').length, 0);

  const told = await started();
  told.child.kill('SIGTERM');
  t.match(await told.done, { code: 130 }, 'SIGTERM cancels at once');
  t.equal(service.builds.get('rb_000003')?.view.status, 'cancelled');

  const finished = await started();
  finished.child.kill('SIGINT');
  await finished.until('stderr', 'Ctrl-C again leaves it running');
  service.builds.get('rb_000004')?.finish({ status: 'succeeded', exit_code: 0, end_reason: 'succeeded' });
  t.match(await finished.done, { code: 0 }, 'a build that ends meanwhile ends as it ends');

  service.instead('POST /builds/*/cancel', {
    status: 403,
    error: { code: 'api_key_read_only', retryable: false },
  });
  const refused = await started();
  refused.child.kill('SIGTERM');
  await refused.until('stderr', 'could not be canceled');
  refused.child.kill('SIGINT');
  t.match(await refused.done, { code: 130, stderr: /rb_000005/ }, 'a cancel that is refused can be left');

  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const early = spawnCli(place, ['build', '--script', 'make', '--url', `http://127.0.0.1:${port}`]);
  await new Promise((resolve) => silent.once('connection', resolve));
  await new Promise((resolve) => setTimeout(resolve, 300));
  early.child.kill('SIGINT');
  t.match(await early.done, { code: 130, stderr: /stopped/ }, 'before there is a build it stops at once');
});
