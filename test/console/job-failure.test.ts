// What the pages of a Mac and of a host say in Korean about failures that the host words in English.
import t from 'tap';
import { jobFailureText } from '../../control-plane/console/pages/mac/job-failure.js';
import { blockText } from '../../control-plane/console/pages/operator/host/block-text.js';
import { jobFailures } from '../../shared/messages/job-failures.js';
import { jobReasons } from '../../shared/messages/job-reasons.js';
import { hostBlocks } from '../../shared/messages/mac-problems.js';
import { message, uncoded } from '../../shared/messages/message.js';

t.test('a failed job has a sentence in Korean, and the words of the host below it', async (t) => {
  const said = 'brew: no formula with that name';
  const reason = uncoded(said);
  for (const error of Object.keys(jobFailures)) {
    t.match(jobFailureText({ error, reason }, 'ko'), { text: /[가-힣].*\.$/u, quote: said }, error);
    t.same(jobFailureText({ error, reason }, 'en'), { text: said, quote: null });
  }
  const ended = { error: 'rental_ended', reason: message(jobReasons, 'rental_ended') };
  t.match(jobFailureText(ended, 'ko'), { text: /[가-힣]/u, quote: null }, 'nothing is said twice');
  const late = { error: 'reset_failed', reason: message(jobReasons, 'host_timeout') };
  t.match(
    jobFailureText(late, 'ko'),
    { text: /[가-힣]/u, quote: /[가-힣].*\.$/u },
    'a reason of the service has both languages',
  );
  t.same(jobFailureText({ error: 'a_newer_code', reason }, 'ko'), { text: said, quote: null });
  t.equal(jobFailureText({ error: null, reason: null }, 'ko'), null);
});

t.test('so has a host that cannot create Macs', async (t) => {
  for (const code of Object.keys(hostBlocks)) {
    t.match(blockText({ code, message: 'tart: 2' }, 'ko'), /[가-힣].*\.$/u, code);
    t.equal(blockText({ code, message: 'tart: 2' }, 'en'), 'tart: 2');
  }
  t.equal(blockText({ code: null, message: 'tart: 2' }, 'ko'), 'tart: 2');
});
