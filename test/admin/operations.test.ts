// What all operations of operators have in common.
import t from 'tap';
import { operations } from '../../control-plane/compose/operator-api.js';
import { operationPath } from '../../control-plane/platform/http/operation.js';
import { startHarness } from '../harness/harness.js';

const token = 'an-operator-token-of-the-tests';

t.test('the route of every operation refuses unknown fields, and changes nothing then', async (t) => {
  const h = await startHarness(t, { operatorToken: token });
  for (const { name } of operations.filter(({ access }) => access !== 'machine')) {
    const answer = await h.inject({
      method: 'POST',
      url: `/api/operator${operationPath(name)}`,
      headers: { authorization: `Bearer ${token}` },
      payload: { unheard_of: 'x' },
    });
    t.match(
      { status: answer.statusCode, error: answer.json().error },
      { status: 400, error: { code: 'invalid_request', message: /unheard_of/ } },
      name,
    );
  }
  const entries = await h.auditLog.read({ accountId: null, since: 0 }, { after: null, limit: 200 });
  t.same(
    entries.filter(({ result }) => result === 'ok'),
    [],
  );
});
