// The cause and the advice on the page of a failed build.
import t from 'tap';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { failureTable } from '../../control-plane/builds/domain/failure-table.js';
import { failureSummary } from '../../control-plane/console/builds/failure-summary.js';
import { failureCause } from '../../shared/messages/failure-causes.js';
import { uncoded } from '../../shared/messages/message.js';

t.test('a sentence of the service about a line of the log is a message, not a text', async (t) => {
  let messages = 0;
  for (const { say, pattern, more, example, reason } of failureTable) {
    const [line = '', ...others] = example.split('\n');
    const groups = { ...pattern.exec(line)?.groups };
    for (const other of others) Object.assign(groups, more?.pattern.exec(other)?.groups);
    const said = say?.(groups) ?? '';
    if (typeof said === 'string') {
      if (said === groups.message) continue;
      t.notMatch(said, /^(?:The|A|An|In|Tests?|Testing|Killed|xcodebuild|codesign|Notarization)\b.*\.$/);
      continue;
    }
    messages++;
    const failure = { reason_code: reason, summary: said.text, summary_message: said };
    t.match(failureSummary(failure, 'ko'), { text: /[가-힣]/u, quote: null }, said.text);
    t.same(failureSummary(failure, 'en'), { text: said.text, quote: null });
  }
  t.ok(messages > 40, `${messages}`);
});

t.test('the message of a tool is quoted below the sentence of the reason', async (t) => {
  const summary = 'App.swift:3: no such type';
  for (const code of Object.keys(failureReasons)) {
    const failure = { reason_code: code, summary, summary_message: uncoded('no such type') };
    t.same(failureSummary(failure, 'en'), { text: summary, quote: null });
    t.match(failureSummary(failure, 'ko'), { text: /[가-힣].*[.]$/u, quote: summary }, code);
  }
  for (const code of ['a_newer_code', 'toString']) {
    const failure = {
      reason_code: code,
      summary: 'Something new.',
      summary_message: uncoded('Something new.'),
    };
    t.same(failureSummary(failure, 'ko'), { text: 'Something new.', quote: null });
  }
  const summary_message = failureCause('ran_too_long', { seconds: 5_400 });
  const said = failureSummary({ reason_code: 'timeout', summary: '', summary_message }, 'ko');
  t.same(said, { text: '제한 시간(90분)을 넘어 중단되었습니다.', quote: null });
});
