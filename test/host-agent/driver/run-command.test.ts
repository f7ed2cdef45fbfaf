// Commands of a tool for virtual machines: a command that was ended has ended.
import t from 'tap';
import { runCommand } from '../../../host-agent/driver/vm/run-command.js';
import { createAdvancingClock, systemClock } from '../../../shared/clock.js';

const script = ['-c', 'echo $$; exec sleep 600'];
const env = { PATH: '/usr/bin:/bin' };

t.test('a command that is aborted has exited when the call fails', async (t) => {
  const stop = new AbortController();
  let pid = '';
  const onLine = (line: string) => {
    pid = line;
    stop.abort(new Error('the agent is stopping'));
  };
  const options = { timeoutMs: 60_000, onLine, signal: stop.signal };
  await t.rejects(runCommand({ file: 'sh', env, clock: systemClock }, script, options), /the agent is stopping/);
  t.match(pid, /^\d+$/);
  t.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});

t.test('a command that takes too long has exited when the call fails', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  let pid = '';
  const onLine = (line: string) => {
    pid = line;
    void clock.advance(1000);
  };
  await t.rejects(runCommand({ file: 'sh', env, clock }, script, { timeoutMs: 1000, onLine }), {
    name: 'VmToolError',
    code: 'unresponsive',
  });
  t.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' });
});
