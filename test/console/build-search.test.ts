// The filters of the list of builds in the address.
import t from 'tap';
import { filterOf, parseBuildSearch } from '../../control-plane/console/pages/builds/search.js';

t.test('values that the API would refuse are left out of the address', async (t) => {
  const whole = {
    status: 'failed',
    repo: 'acme/app',
    pr: '12',
    rental_id: 'rt_1',
    from: '2026-03-01',
    to: '2026-03-02',
    q: 'main',
  };
  t.same(parseBuildSearch(whole), { ...whole, pr: 12 });
  t.same(parseBuildSearch({ ...whole, workspace: 'ws_1' }), { ...whole, pr: 12 }, 'other parameters stay out');
  for (const raw of [
    { status: 'lost' },
    ...['0', '-1', '1e3', 'x', '9999999999', '1.5'].map((pr) => ({ pr })),
    ...['2026-13-01', '2026-02-30', '2026-1-1', 'today', ''].map((from) => ({ from })),
    { q: '' },
    { repo: undefined },
  ]) {
    t.same(parseBuildSearch(raw), {}, JSON.stringify(raw));
  }
  t.equal([...(parseBuildSearch({ q: '😀'.repeat(200) }).q ?? '')].length, 100);
});

t.test('days are those of the person, and the last one is included', async (t) => {
  const { from, to } = filterOf({ from: '2026-03-01', to: '2026-03-01', status: 'active' });
  t.equal(from, new Date(2026, 2, 1).getTime());
  t.equal(to, new Date(2026, 2, 2).getTime());
  t.same(filterOf({ status: 'active' }), { status: 'active' });
});
