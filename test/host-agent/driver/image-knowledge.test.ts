// What the daemon remembers about images, and until when.
import t from 'tap';
import { openImageKnowledge } from '../../../host-agent/driver/vm/image-knowledge.js';
import { createAdvancingClock } from '../../../shared/clock.js';
import { uncoded } from '../../../shared/messages/message.js';

const MINUTE = 60_000;

t.test('an image that could not be used is tried again after a while, another one at once', async (t) => {
  const clock = createAdvancingClock({});
  let changes = 0;
  const knowledge = openImageKnowledge(t.testdir(), {
    changed: () => void changes++,
    clock,
    limits: { unusableMs: 10 * MINUTE },
  });
  const reason = uncoded('no macOS in it');
  knowledge.markUnusable('sha256:1', reason);
  t.same([knowledge.unusable('sha256:1'), knowledge.unusable('sha256:2')], [reason, null]);
  t.equal(changes, 1, 'it is reported');
  await clock.advance(9 * MINUTE);
  t.same(knowledge.unusable('sha256:1'), reason, 'not asked again and again');
  await clock.advance(MINUTE);
  t.equal(knowledge.unusable('sha256:1'), null, 'the guest may have answered wrongly for another reason');
  knowledge.markUnusable('sha256:1', reason);
  t.same(knowledge.unusable('sha256:1'), reason, 'found again');
});
