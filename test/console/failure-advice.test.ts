// What the page of a failed build says to do.
import t from 'tap';
import { failureReasons } from '../../control-plane/builds/domain/failure-reasons.js';
import { failureTable } from '../../control-plane/builds/domain/failure-table.js';
import { failureAdvice } from '../../control-plane/console/builds/failure-advice.js';
import { failureSummary } from '../../control-plane/console/builds/failure-summary.js';

t.test('every suggestion of the API has its text in both languages', async (t) => {
  for (const { suggestion, elsewhere } of [...Object.values(failureReasons), ...failureTable]) {
    for (const text of [suggestion, elsewhere]) {
      if (text === undefined) continue;
      t.equal(failureAdvice(text, 'en'), text);
      t.match(failureAdvice(text, 'ko'), /[가-힣].*[.]$/u, text);
    }
  }
});

t.test('a suggestion that the console does not know stays as it is', async (t) => {
  for (const text of ['Something of a newer service.', 'toString']) t.equal(failureAdvice(text, 'ko'), text);
});

t.test('every sentence of the failure table has its text in both languages', async (t) => {
  const build = { exit_code: 65, timeout_min: 90 };
  const sentences = failureTable.flatMap(({ say, pattern, more, example, reason }) => {
    const [line = '', ...others] = example.split('\n');
    const groups = { ...pattern.exec(line)?.groups };
    for (const other of others) Object.assign(groups, more?.pattern.exec(other)?.groups);
    const summary = say?.(groups) ?? '';
    return summary !== groups.message &&
      /^(?:The|A|An|In|Tests?|Testing|Killed|xcodebuild|codesign|Notarization)\b.*\.$/.test(summary)
      ? [{ summary, reason_code: reason }]
      : [];
  });
  t.ok(sentences.length > 20, `${sentences.length}`);
  for (const failure of sentences) {
    const said = failureSummary(build, failure, 'ko');
    t.match(said, { text: /[가-힣]/u, quote: null }, failure.summary);
  }
});

t.test('every code of a failure has its text in both languages', async (t) => {
  const build = { exit_code: 65, timeout_min: 90 };
  for (const code of Object.keys(failureReasons)) {
    const failure = { reason_code: code, summary: 'App.swift:3: no such type' };
    t.same(failureSummary(build, failure, 'en'), { text: failure.summary, quote: null });
    const said = failureSummary(build, failure, 'ko');
    t.match(said.text, /[가-힣].*[.]$/u, code);
    t.equal(said.quote, failure.summary, 'the message of the tool is shown as it is');
  }
  for (const [code, summary, text] of [
    ['script_failed', 'The script ended with exit code 65; the end of the log says why.', /종료 코드 65번/],
    ['timeout', 'The build was still running after 90 minutes and was stopped.', /1시간 30분/],
    ['command_not_found', 'A command of the script was not found (exit code 127).', /명령을 찾을 수/],
    ['host_lost', 'The host of this build was lost.', /호스트/],
    ['command_not_found', 'The command swiftlint was not found.', /명령.*: swiftlint$/],
    ['test_failure', 'CartTests.testTotal failed.', /실패: CartTests\.testTotal$/],
  ] as const) {
    const said = failureSummary(build, { reason_code: code, summary }, 'ko');
    t.match(said, { text, quote: null }, 'a sentence of the service is not repeated in English');
  }
  for (const code of ['a_newer_code', 'toString']) {
    const failure = { reason_code: code, summary: 'Something new.' };
    t.same(failureSummary(build, failure, 'ko'), { text: 'Something new.', quote: null });
  }
});
