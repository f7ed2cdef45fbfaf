// Tests of the check that every test's service applies to its statements.
// Requires: sqlite
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { refuseScans, scanProblems, statementsOfService } from '../harness/refuse-scans.js';

t.test('statements that scan a long table are found', async (t) => {
  const problems = await scanProblems();
  for (const sql of [
    'SELECT COUNT(*) AS n FROM builds',
    'SELECT * FROM builds WHERE script_excerpt = :script',
    'SELECT * FROM builds b WHERE b.account_id = :account',
    'SELECT * FROM builds WHERE account_id = :account ORDER BY timeout_min LIMIT 10',
    'UPDATE events SET fanned_out = 1',
    'DELETE FROM deliveries WHERE http_status = 410',
    'SELECT 1 FROM deliveries WHERE receiver = :receiver AND http_status = 410',
  ]) {
    t.not(problems(sql), null, sql);
  }
  for (const sql of [
    'SELECT * FROM builds WHERE build_id = :id',
    `SELECT COUNT(*) AS n FROM builds WHERE status = 'running'`,
    `SELECT * FROM builds WHERE account_id = :account AND workspace_id = :workspace
       ORDER BY created_at DESC, seq DESC LIMIT 10`,
    'SELECT * FROM events WHERE fanned_out = 0 ORDER BY seq LIMIT 10',
    'DELETE FROM builds WHERE build_id = :id',
  ]) {
    t.equal(problems(sql), null, sql);
  }
});

t.test('statements of the service are checked, statements of tests are not', async (t) => {
  const h = await startHarness(t);
  await h.call('GET', '/builds?q=nothing&status=failed');
  await h.store.all('SELECT * FROM events');
  const check = await refuseScans();
  t.doesNotThrow(() => check('SELECT * FROM events'));
  t.ok(statementsOfService().some((sql) => sql.includes('LOWER(:text)) > 0')));
  t.notOk(statementsOfService().includes('SELECT * FROM events'));
});
