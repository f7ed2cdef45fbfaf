// Every way by which text of a build reaches a program or a terminal: no hidden character is passed on.

import t from 'tap';
import { failureCard } from '../../client/cli/failure-card.js';
import { printable, styleFor } from '../../client/cli/terminal.js';
import { cleanReport } from '../../client/mcp/tools/failure.js';
import { cleanLine, markedBlock, shownLine } from '../../client/mcp/untrusted.js';
import { buildView } from '../../client/mcp/views.js';
import type { Build as ClientBuild, FailureReport } from '../../client/types.js';
import { endingOf, platformEnding, withLogLost } from '../../control-plane/builds/domain/failure.js';
import { createFailureScan } from '../../control-plane/builds/domain/failure-scan.js';
import { bodyFor } from '../../control-plane/events/domain/chat-message.js';
import { describeState } from '../../control-plane/events/domain/commit-status.js';
import type { BuildResult } from '../../shared/build.js';
import { cleanText } from '../../shared/clean-text.js';
import { uncoded } from '../../shared/messages/message.js';
import { HIDDEN, hidden } from '../harness/hidden-text.js';

const resultOf = (summary: string): BuildResult => ({
  outcome: 'failed',
  exit_code: null,
  stop_reason: null,
  step: 'source',
  reason_code: 'clone_failed',
  fault: 'customer',
  summary,
  script_started_at: null,
  ended_at: 0,
  log: { bytes: 0, sha256: '0'.repeat(64), omitted_bytes: 0, possibly_truncated: false },
  artifacts: [],
  warnings: [],
});
const context = { timeoutMin: 60, logLines: 9 };
const found = (text: string) => {
  const scan = createFailureScan();
  scan.read(Buffer.from(`App/Ca${text}rt.swift:3:1: error: can${text}not find${text}\n`));
  return scan.end(65, null);
};
const failed = (summary: string) => ({
  endReason: 'exit_nonzero' as const,
  exitCode: 65,
  failure: { ...endingOf(resultOf(''), context).failure!, summary },
});
const told = (text: string, address: string) =>
  bodyFor(
    address,
    JSON.stringify({
      event_type: 'build.failed',
      stall: null,
      build: {
        id: 'rb_1',
        repo: `acme/${text}app`,
        commit: 'abcdef0123',
        pr: 7,
        end_reason: 'exit_nonzero',
        failure: { summary: `can${text}not find` },
        console_url: 'https://macs.example/builds/rb_1',
      },
    }),
  );
const reported = (text: string): FailureReport => ({
  build_id: 'rb_1',
  status: 'failed',
  exit_code: 65,
  end_reason: 'exit_nonzero',
  advice: 'x',
  advice_message: uncoded('x'),
  next: [],
  failure: answered(text).failure,
  lines: [{ n: 1, text: `can${text}not` }],
  tail: [{ n: 2, text: `x${text}` }],
  total_lines: 2,
  artifacts: [{ id: 'f_1', path: `a${text}.txt`, bytes: 1, sha256: null }],
  more_artifacts: false,
});
/** As an older or a foreign service might answer. */
const answered = (text: string) =>
  ({
    id: 'rb_1',
    status: 'failed',
    exit_code: 65,
    timings: { run_s: 3 },
    failure: {
      category: 'customer',
      fault: 'customer',
      step: 'script',
      reason_code: 'compile_error',
      summary: `can${text}not find`,
      suggestion: `loo${text}k`,
      location: { file: `App/Ca${text}rt.swift`, line: 3, message: `can${text}not find` },
      log_excerpt_lines: [1, 2],
      log_url: 'https://macs.example/log',
    },
  }) as unknown as ClientBuild;
const plain = styleFor({ isTTY: false } as NodeJS.WriteStream, {});

/** White space; what UTF-8 makes of half a character; the random word of a mark. */
const RESHAPED = /\s|\ufffd|[0-9a-f]{8}/g;

/** What each way makes of a text; of what is an object, all strings in it. */
const ways: Record<string, (text: string) => unknown> = {
  'summary and place that the log gives': found,
  'summary that a host gives': (text) => endingOf(resultOf(`no${text}thing`), context).failure,
  'a failure of the platform': (text) => platformEnding('internal_error', uncoded(`no${text}thing`), 9).failure,
  'a failure whose log was lost': (text) => withLogLost(endingOf(resultOf(`no${text}thing`), context), 9).failure,
  'a message to Slack': (text) => JSON.parse(told(text, 'https://hooks.slack.com/services/T0/B0/x')),
  'a message to Discord': (text) => JSON.parse(told(text, 'https://discord.com/api/webhooks/1/x')),
  'a message to Teams': (text) =>
    JSON.parse(told(text, 'https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4')),
  'the state of a commit: failure': (text) => describeState('failure', failed(`can${text}not find`), `M${text}ac`),
  'the state of a commit: error': (text) => describeState('error', failed(`can${text}not find`), null),
  'any text of a log in the control plane': (text) => cleanText(`can${text}not`, 100),
  "an agent's tools: a failure": (text) => cleanReport(reported(text)),
  "an agent's tools: a failure in a list": (text) => buildView(answered(text)),
  "an agent's tools: a line of a log": (text) => shownLine({ n: 1, text: `can${text}not` }),
  "an agent's tools: lines of a log": (text) => markedBlock('rb_1', [shownLine({ n: 1, text: `can${text}not` })]),
  "an agent's tools: a name": (text) => cleanLine(`can${text}not`),
  "the command line's failure card": (text) => failureCard(answered(text), [`can${text}not`, 'x'], 1, plain),
  'the command line': (text) => printable(`can${text}not`),
};
const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

for (const [way, make] of Object.entries(ways)) {
  t.test(way, async (t) => {
    const clean = stringsIn(make(''));
    t.ok(clean.join().length > 0);
    for (const [name, text] of Object.entries({ ...hidden, 'all of them': Object.values(hidden).join('') })) {
      const strings = stringsIn(make(text));
      t.notOk(
        strings.find((string) => HIDDEN.test(string)),
        name,
      );
      t.equal(strings.join('\n').split('\n').length, clean.join('\n').split('\n').length, `${name}: no more lines`);
      const letters = (all: string[]) => all.join('').replaceAll(RESHAPED, '');
      t.equal(letters(strings), letters(clean), `${name}: what can be seen is all there`);
    }
  });
}
