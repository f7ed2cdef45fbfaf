// Reads of a page wait for its live stream, so that nothing is read twice; but not for long.
import t from 'tap';
import { createConnection } from '../../control-plane/console/data/connection.js';

function start() {
  const timers: (() => void)[] = [];
  const connection = createConnection({
    setTimeout(call) {
      timers.push(call);
      return { cancel: () => void timers.splice(timers.indexOf(call), 1) };
    },
  });
  return { connection, timers };
}

const at = (state: 'connecting' | 'open' | 'lost') => ({ state, heardAt: 0, silent: false });

t.test('a page without a stream reads at once', async (t) => {
  const { connection, timers } = start();
  await connection.followed();
  t.equal(timers.length, 0, 'no timer is left');
  t.ok(connection.allFollowed());
});

t.test('reads wait while the stream is being opened', async (t) => {
  for (const state of ['open', 'lost'] as const) {
    const { connection, timers } = start();
    const { set } = connection.watch();
    set(at('connecting'));
    let goesOn = false;
    const waits = connection.followed().then(() => {
      goesOn = true;
    });
    await Promise.resolve();
    t.equal(goesOn, false);
    set(at(state));
    await waits;
    t.equal(timers.length, 0, 'no timer is left');
    t.ok(connection.allFollowed(), `${state}: nothing was read before`);
  }
});

t.test('a stream that takes long is not waited for: what was read meanwhile is read again', async (t) => {
  const { connection, timers } = start();
  const { set } = connection.watch();
  set(at('connecting'));
  const waits = connection.followed();
  timers[0]?.();
  await waits;
  t.notOk(connection.allFollowed());
  connection.watch();
  t.ok(connection.allFollowed(), 'another page begins anew');
});
