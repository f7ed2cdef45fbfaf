import t from 'tap';
import { circleOf } from '../../control-plane/console/chunks.js';

const circle = (imports: Record<string, string[]>) => circleOf(new Map(Object.entries(imports)));

t.test('files that import each other are found', async (t) => {
  t.equal(circle({}), null);
  t.equal(circle({ index: ['shared'], shared: [] }), null);
  t.equal(
    circle({ page: ['shared', 'index'], other: ['shared'], shared: ['index'], index: [] }),
    null,
    'two ways to one',
  );
  t.same(circle({ index: [], page: ['errors'], errors: ['index', 'requests'], requests: ['errors'] }), [
    'errors',
    'requests',
  ]);
  t.same(circle({ index: ['index'] }), ['index']);
});
