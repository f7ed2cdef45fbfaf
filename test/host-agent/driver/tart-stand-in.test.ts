// The stand-in of tart does what tart is known to do: exit codes, streams, texts, and what happens in a guest.
import t from 'tap';
import { until } from '../../harness/until.js';
import { openTartHost } from '../../harness/vm/tart-host.js';

const image = 'ghcr.io/acme/macos:26';

t.test('one machine from its image to its end', async (t) => {
  const host = await openTartHost(t);
  const { tart } = host;
  t.match(await tart('clone', image, 'vm1'), { code: 0, stdout: /^pulling manifest\.\.\.\n/ });
  t.match(await tart('exec', 'vm1', 'true'), { code: 2, stderr: 'VM "vm1" is not running\n' });
  await host.boot('vm1');
  t.same(await tart('exec', 'vm1', '/bin/sh', '-c', 'id -un; pwd; echo out; echo err >&2; exit 7'), {
    code: 7,
    stdout: 'admin\n/Users/admin\nout\n',
    stderr: 'err\n',
  });
  t.match(await tart('exec', 'vm1', 'sudo', 'id', '-u'), { code: 0, stdout: '0\n' });
  t.match(await tart('exec', 'vm1', '--', 'ls'), { code: 1, stderr: /^Error: unknown \(2\): exec: "--"/ });
  t.match(await tart('exec', 'vm1', 'sh', '-c', 'kill -9 $$'), { code: 255, stderr: '' });
  t.match(await tart('delete', 'vm1'), { code: 1, stderr: 'VM "vm1" is running\n' });
  t.match(await tart('exec', 'vm1', 'sudo', '/sbin/shutdown', '-h', 'now'), { stdout: /^Shutdown NOW!/ });
  await until(async () => (await host.running()).length === 0, 'the machine is off');
  t.same(await tart('stop', 'vm1'), { code: 2, stdout: '', stderr: 'VM "vm1" is not running\n' });
  t.same(await tart('delete', 'vm1'), { code: 0, stdout: '', stderr: '' });
  t.match(await tart('delete', 'vm1'), { code: 2, stderr: 'the specified VM "vm1" does not exist\n' });
});
