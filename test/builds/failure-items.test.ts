// What is known of failures, item by item: each line in the middle of a log as builds write them, with what is
// ordinary before it and what follows from it behind it.
// Runs in: soak

import t from 'tap';
import {
  endingOf,
  isForLog,
  platformEnding,
  stoppedEnding,
  withLogLost,
} from '../../control-plane/builds/domain/failure.js';
import { failureReasons, type ReasonCode } from '../../control-plane/builds/domain/failure-reasons.js';
import { createFailureScan } from '../../control-plane/builds/domain/failure-scan.js';
import { uncoded } from '../../shared/messages/message.js';
import { plainResult } from '../harness/plain-result.js';
import { buildSystemItems } from './failure-items/build-system.js';
import { compilerItems } from './failure-items/compilers.js';
import { environmentItems } from './failure-items/environment.js';
import { type Item, WORK } from './failure-items/item.js';
import { languageItems } from './failure-items/languages.js';
import { linkerItems } from './failure-items/linker.js';
import { packageItems } from './failure-items/packages.js';
import { signingItems } from './failure-items/signing.js';
import { storeItems } from './failure-items/store.js';
import { testFooterItems, testItems } from './failure-items/tests.js';
import { harmless, trapLogs } from './failure-items/traps.js';
import { GREEN } from './failure-logs.js';

const ordinary = (what: string, from: number, lines: number) =>
  Array.from({ length: lines }, (_, i) =>
    i % 9 === 4
      ? `${WORK}/App/${what}${from + i}.swift:${i}:9: warning: variable 'error' was never used\n    let error = "error: none"\n        ^~~~~`
      : `SwiftCompile normal arm64 ${WORK}/App/${what}${from + i}.swift (in target 'App' from project 'App') -Werror=return-type`,
  ).join('\n');
const BEFORE = `${ordinary('View', 1, 120)}\n`;
const TESTING = `${BEFORE}Test Suite 'All tests' started at 2026-03-01 10:00:00.000.\nTest Case '-[AppTests.FailedTests testFails]' started.\nTest Case '-[AppTests.FailedTests testFails]' passed (0.001 seconds).\n`;
/** The script's own commands, as set -x shows them, and a diff that it prints. */
const TRACED = `+ echo '${WORK}/App/Old.swift:3:1: error: quoted by the script'
++ grep -c 'fatal: error: nothing' build.log
+build.sh:3> echo 'xcodebuild: error: none'
+./ci/build.sh:12:echo "error: of the script"
--- a/expected.txt
+++ b/expected.txt
-${WORK}/App/Old.swift:3:1: error: of an old file
+${WORK}/App/Old.swift:4:1: error: of an old file
- error: Old
`;
const FAILED = `\nwaiting for other work\n${ordinary('Late', 1, 30)}\n`;
const BUILD_FAILED = `${FAILED}** BUILD FAILED **\n\n\nThe following build commands failed:\n\tTouch ${WORK}/build/Late.app (in target 'App' from project 'App')\n(1 failure)\n`;
const TEST_FAILED = `${FAILED}Test Suite 'All tests' failed at 2026-03-01 10:00:02.000.\n\t Executed 3 tests, with 1 failure (0 unexpected) in 0.015 (0.020) seconds\nFailing tests:\n\tOtherTests.testLater()\n\n** TEST FAILED **\n`;

const kinds: Record<string, { items: readonly Item[]; before: string; after: string }> = {
  compilers: { items: compilerItems, before: BEFORE, after: BUILD_FAILED },
  linker: { items: linkerItems, before: BEFORE, after: BUILD_FAILED },
  'build system': { items: buildSystemItems, before: BEFORE, after: FAILED },
  signing: { items: signingItems, before: BEFORE, after: BUILD_FAILED },
  packages: { items: packageItems, before: 'Resolve Package Graph\n', after: FAILED },
  tests: { items: testItems, before: TESTING, after: TEST_FAILED },
  'tests, the last line alone': { items: testFooterItems, before: TESTING, after: FAILED },
  languages: { items: languageItems, before: 'building\n', after: FAILED },
  store: { items: storeItems, before: 'uploading\n', after: FAILED },
  environment: { items: environmentItems, before: BEFORE, after: FAILED },
};

const explain = (log: string, exitCode: number) => {
  const scan = createFailureScan();
  scan.read(Buffer.from(log));
  return scan.end(exitCode, WORK);
};
const shapes: Record<string, (log: string) => string> = {
  'as it is': (log) => log,
  'from a terminal': (log) => log.replaceAll('\n', '\r\n'),
  'behind what went well': (log) => `${GREEN}${log}`,
  'behind the clock of a lane': (log) => log.replaceAll(/^(?=[^\s])/gm, '[10:00:01]: '),
  'behind a clock': (log) => log.replaceAll(/^(?=.)/gm, '[10:00:01] '),
  'behind the name of a job': (log) => log.replaceAll(/^(?=.)/gm, '[ios] '),
  'behind the number of a job': (log) => log.replaceAll(/^(?=.)/gm, '[0] '),
  'behind the name of a container': (log) => log.replaceAll(/^(?=.)/gm, 'ios-1     | '),
  'behind what the shell was told': (log) => `${TRACED}${log}`,
};

for (const [kind, { items, before, after }] of Object.entries(kinds)) {
  t.test(kind, async (t) => {
    for (const { lines, cause, code, fault = 'customer', at, says, exitCode = 65 } of items) {
      for (const [shape, shaped] of Object.entries(shapes)) {
        const log = shaped(`${before}${lines}${after}`);
        const found = explain(log, exitCode);
        const [file, line] = at ?? [];
        const shown = log.split('\n').slice((found?.logExcerptLines?.[0] ?? 0) - 1, found?.logExcerptLines?.[1]);
        const wanted = cause ?? lines.replaceAll(/\x1b\[\d*m/g, '').split('\n')[0] ?? '';
        t.same(
          found && {
            code: found.reasonCode,
            fault: failureReasons[found.reasonCode].fault,
            location: found.location,
            summary: found.summary,
            cause: shown.some((text) => text.replaceAll(/\x1b\[\d*m/g, '').includes(wanted)),
          },
          {
            code,
            fault,
            location: at ? { file, line, message: says } : null,
            summary: at ? `${file}:${line}: ${says}` : says,
            cause: true,
          },
          `${wanted}, ${shape}`,
        );
        t.ok(shown.length <= 20, 'few lines');
      }
    }
  });
}

t.test('lines that only look like a failure are ignored', async (t) => {
  for (const line of harmless) {
    for (const shape of Object.values(shapes)) t.equal(explain(shape(`before\n${line}\nafter\n`), 1), null, line);
    t.equal(explain(`${TESTING}${line}\n`, 65), null, `while testing: ${line}`);
  }
  t.equal(explain(`${BEFORE}${harmless.join('\n')}\n`, 65), null, 'all of it together');
});

t.test('the cause is found although another line looks like it', async (t) => {
  for (const { name, log, exitCode = 65, expect, cause } of trapLogs) {
    for (const text of [log, log.replaceAll('\n', '\r\n'), `${GREEN}${log}`]) {
      const found = explain(text, exitCode);
      const { logExcerptLines, ...rest } = expect ?? {};
      t.match(found, rest, name);
      if (text === log && logExcerptLines) t.same(found?.logExcerptLines, logExcerptLines, name);
      const [first = 0, last = 0] = found?.logExcerptLines ?? [];
      if (cause)
        t.ok(
          text
            .split('\n')
            .slice(first - 1, last)
            .join('\n')
            .includes(cause),
          name,
        );
    }
  }
});

t.test("every reason code is told by somebody; what is the platform's fault, by no log but one", async (t) => {
  const about = { timeoutMin: 60, logLines: 1 };
  const ofHost = (code: ReasonCode) =>
    endingOf(plainResult({ outcome: 'failed', exit_code: null, step: 'source', reason_code: code }), about);
  const elsewhere = {
    timeout: stoppedEnding('timeout', 143, about),
    clone_failed: ofHost('clone_failed'),
    commit_not_found: ofHost('commit_not_found'),
    xcode_missing: ofHost('xcode_missing'),
    workspace_failed: ofHost('workspace_failed'),
    host_disk_full: ofHost('host_disk_full'),
    source_unavailable: ofHost('source_unavailable'),
    environment_too_large: ofHost('environment_too_large'),
    secret_unreadable: platformEnding('secret_unreadable', uncoded('gone'), 0),
    internal_error: ofHost('internal_error'),
    build_folder_changed: ofHost('build_folder_changed'),
    host_lost: platformEnding('host_lost', uncoded('gone'), 1),
    mac_lost: platformEnding('mac_lost', uncoded('gone'), 1),
    log_lost: withLogLost(endingOf(plainResult({ exit_code: 65 }), about), 1),
    script_failed: endingOf(plainResult({ exit_code: 65 }), about),
    command_not_found: endingOf(plainResult({ exit_code: 127 }), about),
    not_executable: endingOf(plainResult({ exit_code: 126 }), about),
    killed: endingOf(plainResult({ exit_code: 137 }), about),
  } satisfies { [Code in ReasonCode]?: unknown };
  for (const [code, { event, failure }] of Object.entries(elsewhere)) {
    t.match({ event, failure }, { event: 'fail', failure: { reasonCode: code } });
    t.equal(failure?.fault, failureReasons[code as ReasonCode].fault, code);
  }
  const inLogs = new Set(Object.values(kinds).flatMap(({ items }) => items.map(({ code }) => code)));
  t.same(
    [...new Set([...inLogs, ...Object.keys(elsewhere)])].sort(),
    Object.keys(failureReasons).sort(),
    'none is left over',
  );
  t.same(
    [...inLogs].filter((code) => failureReasons[code].fault === 'platform'),
    ['xcode_missing'],
  );
  for (const exitCode of [1, 2, 64, 65, 66, 69, 70, 74, 101, 128, 134, 139, 143, 255]) {
    t.match(endingOf(plainResult({ exit_code: exitCode }), about).failure, {
      reasonCode: 'script_failed',
      summary: new RegExp(
        `exit code ${exitCode}${exitCode > 128 && exitCode < 160 ? ` \\(signal ${exitCode - 128}\\)` : ''}\\.$`,
      ),
    });
  }
  t.notOk(isForLog(plainResult({ exit_code: 0 })), '** BUILD FAILED ** behind a formatter without pipefail: a success');
  t.equal(
    endingOf(plainResult({ exit_code: 0 }), { ...about, finding: explain('** BUILD FAILED **\n', 65) }).failure,
    null,
  );
});
