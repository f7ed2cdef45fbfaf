// A guest that hangs, over ssh: the connection detects it within seconds.
import t from 'tap';
import { runInGuest } from '../../host-agent/guest/run.js';
import { setUpSsh } from '../../host-agent/guest/ssh-setup.js';
import { sshTransport } from '../../host-agent/guest/ssh-transport.js';
import { openLumeGuest } from '../host-agent/guest/ssh-guest.js';

t.test('a guest that no longer answers is detected', async (t) => {
  const far = await openLumeGuest(t);
  await setUpSsh(far.guest, 'lume', { timeoutMs: 30_000 });
  const sleeping = runInGuest(sshTransport(far.guest), ['/bin/sh', '-c', 'echo up; sleep 100'], {
    timeoutMs: 60_000,
    onOutput: () => far.freeze(),
  });
  await t.rejects(sleeping, { name: 'GuestUnreachableError', message: /no longer answers/ });
});
