// `cidermill wait` and the short form that it uses, against the service itself.
// Runs in: soak
import t from 'tap';
import { createClient } from '../../../client/index.js';
import { submit, withMacs } from '../../harness/submitting.js';
import { runCli, startCli } from '../run-cli.js';
import { placeAt } from './place-at.js';

t.test('wait says what a build does and ends with its exit code', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const place = await placeAt(t, h, h.keys.read);
  const waiting = startCli(place, ['wait', id]);
  await waiting.until('stderr', 'running\n');
  await host.output(id, 'compiling \x1b]0;evil\x07it\n');
  await host.facts({ build_id: id, steps: [{ step: 'script', at: h.clock.now() }] });
  await waiting.until('stderr', 'running (script): compiling it\n');
  await host.finish(id, { exit_code: 65, reason_code: 'script_failed', fault: 'customer' });
  t.match(await waiting.done, {
    code: 65,
    stdout: `${id} failed\n`,
    stderr: `why: cidermill failure ${id}\n`,
  });
  const json = await runCli(place, ['wait', id, '--json']);
  t.match({ ...json, stdout: JSON.parse(json.stdout) }, { code: 65, stdout: { id, status: 'failed' } });
  t.match(await runCli(place, ['wait', 'rb_nothing']), { code: 64, stderr: /build_not_found/ });
});

t.test('the client: null when nothing changed', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  const place = await placeAt(t, h, h.keys.read);
  const { CIDERMILL_URL: url = '', CIDERMILL_API_KEY: key = '' } = place.env;
  const { builds } = createClient({ url, key });
  const seen = await builds.waitForChange(id, '0');
  t.match(seen, { id, status: 'running' });
  t.equal(await builds.waitForChange(id, seen?.version ?? '', { timeoutS: 1 }), null);
});
