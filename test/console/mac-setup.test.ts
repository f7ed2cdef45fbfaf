// The change that the setup dialog of a Mac asks for.
import t from 'tap';
import { setupChangeOf } from '../../control-plane/console/pages/mac/setup-change.js';

t.test('only what differs is sent', async (t) => {
  const setup = { xcode: '16.2', runtimes: ['iOS 18.5', 'iOS 26.1'], tools: ['tuist'] };
  const same = { ...setup, anew: false };
  t.equal(setupChangeOf(setup, same, null), null);
  t.equal(setupChangeOf(setup, { ...same, runtimes: ['iOS 26.1', 'iOS 18.5'] }, null), null, 'in another order');
  t.equal(setupChangeOf(setup, { ...same, anew: true }, null), null, 'a reset is what recreates it as it is');
  t.same(setupChangeOf(setup, { ...same, xcode: '16.1' }, null), { xcode: '16.1', keep_cache: true });
  t.same(setupChangeOf(setup, { ...same, tools: [], anew: true }, 'now'), {
    tools: [],
    keep_cache: false,
    when: 'now',
  });
  t.same(setupChangeOf({ ...setup, xcode: null }, { ...same, xcode: null }, null), null);
});
