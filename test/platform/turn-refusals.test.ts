// Which requests are refused instead of waiting for their turn.
import t from 'tap';
import { ApiError } from '../../control-plane/platform/domain/error-catalog.js';
import { createTurnRefusals } from '../../control-plane/platform/http/request-turns.js';

const limits = {
  account_waiting_requests: 10,
  account_waiting_bytes: 1_000,
  account_patient_requests: 4,
  turn_wait_ms: 100,
};

/** Waiting requests of the party, whether others wait too, the expected wait, size of the body; null: it may wait. */
const cases: readonly (readonly [number, boolean, number, number, number | null])[] = [
  [0, false, 0, 0, null],
  [3, true, 5_000, 0, null],
  [4, true, 100, 0, null],
  [4, true, 101, 0, 1],
  [4, true, 5_000, 0, 5],
  [4, true, 500_000, 0, 60],
  [4, false, 5_000, 0, null],
  [9, false, 5_000, 0, null],
  [10, false, 0, 0, 1],
  [0, true, 0, 1_001, null],
  [1, true, 0, 1_000, null],
  [1, false, 0, 1_001, 1],
];

t.test('a request waits or is refused', async (t) => {
  for (const [waiting, shared, expectedMs, bytes, retryAfterS] of cases) {
    const turns = { queued: () => ({ waiting, shared, expectedMs }) };
    const entered = createTurnRefusals({ turns, limits }).enter('account 1', bytes);
    const what = JSON.stringify({ waiting, shared, expectedMs, bytes });
    if (retryAfterS === null) t.type(entered, 'function', `${what}: waits`);
    else t.match(entered, { code: 'rate_limited', retryAfterS }, `${what}: is refused`);
  }
});

t.test('bodies that are kept count until their requests wait no longer', async (t) => {
  const turns = { queued: () => ({ waiting: 1, shared: false, expectedMs: 0 }) };
  const refusals = createTurnRefusals({ turns, limits });
  const leave = refusals.enter('account 1', 600);
  if (leave instanceof ApiError) return t.fail('the first may wait');
  t.type(refusals.enter('account 1', 600), ApiError);
  t.type(refusals.enter('account 2', 600), 'function', 'of its own account only');
  leave();
  leave();
  t.type(refusals.enter('account 1', 600), 'function');
});
