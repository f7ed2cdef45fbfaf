// Paths of a host in what the owner of a build reads.
import t from 'tap';
import { pathInWork, withoutWork } from '../../control-plane/builds/domain/log-path.js';

const WORK = '/var/host/macs/slot_1/work/3f2a9c0d11e5b7aa';

t.test('the work folder disappears from a text, the home folder is ~', async (t) => {
  for (const [text, clean] of [
    [`${WORK}/App/Cart.swift:3: error`, 'App/Cart.swift:3: error'],
    [`in ${WORK}`, 'in .'],
    ['no /var/host/macs/slot_1/home/Library/Keychains/x', 'no ~/Library/Keychains/x'],
    ['no /private/var/host/macs/slot_1/home/Library/x', 'no ~/Library/x'],
    ['no /usr/lib/x, /var/host/macs/slot_2/home/x', 'no /usr/lib/x, /var/host/macs/slot_2/home/x'],
  ] as const) {
    t.equal(withoutWork(text, WORK), clean, text);
  }
  t.equal(withoutWork('/Users/admin/home/x', '/Users/ci/App'), '/Users/admin/home/x', 'no such layout');
  t.equal(withoutWork('/a/b', null), '/a/b');
});

t.test('a location is a file of the work folder or none', async (t) => {
  for (const [file, path] of [
    [`${WORK}/./App/Cart.swift`, 'App/Cart.swift'],
    ['App/Cart.swift', 'App/Cart.swift'],
    ['../other/Cart.swift', null],
    ['/var/host/macs/slot_1/home/x.swift', null],
    [WORK, null],
  ] as const) {
    t.equal(pathInWork(file, WORK), path, file);
  }
});
