// A build whose log says why it failed: the same words wherever a failure is shown.
import t from 'tap';
import { eventsOf } from '../harness/build-host.js';
import { hidden } from '../harness/hidden-text.js';
import { show, submit, withMacs } from '../harness/submitting.js';

// Half a character cannot be written in UTF-8.
const ALL_HIDDEN = Object.values(hidden).join('').replace('\ud800', '');
const WORK = '/Users/ci/work';
const LOG = [
  'Resolving packages',
  `SwiftCompile normal arm64 ${WORK}/App/Cart.swift`,
  `/private${WORK}/App/Cart.swift:12:9: error: cannot find ${ALL_HIDDEN}'totl' in scope`,
  '        totl += 1',
  '        ^~~~',
  '** BUILD FAILED **',
  '[cidermill] The script ended with exit code 65; the end of the log says why.',
  '',
].join('\r\n');
const ended = {
  exit_code: 65,
  reason_code: 'script_failed',
  fault: 'customer',
  summary: 'The script ended with exit code 65; the end of the log says why.',
  work_folder: WORK,
} as const;

t.test('a compile error is shown by the build, its events, the errors and later errors', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  for (const piece of LOG.match(/.{1,17}/gsu) ?? []) await host.output(id, piece);
  await host.finish(id, { ...ended, warnings: [`The artifact ${ALL_HIDDEN}Cart is odd.`] });

  const failure = {
    category: 'customer',
    fault: 'customer',
    step: 'script',
    summary: "App/Cart.swift:12: cannot find 'totl' in scope",
    summary_message: { code: null, params: {}, text: "cannot find 'totl' in scope" },
    log_url: `http://cidermill.test/api/v1/builds/${id}/log`,
    reason_code: 'compile_error',
    suggestion: 'Fix the compile error at the location shown, then build again.',
    suggestion_message: {
      code: 'fix_compile_error_here',
      params: {},
      text: 'Fix the compile error at the location shown, then build again.',
    },
    log_excerpt_lines: [1, 7],
    location: { file: 'App/Cart.swift', line: 12, message: "cannot find 'totl' in scope" },
  };
  const build = await show(h, id);
  t.match(build, { status: 'failed', exit_code: 65, end_reason: 'exit_nonzero' });
  t.same(build.failure, failure);
  t.same(build.warnings, ['The artifact Cart is odd.'], 'what a host says of files is cleaned too');
  t.same((await h.call('GET', `/builds/${id}/wait`)).json().failure, failure);
  t.same((await h.call('GET', '/builds')).json().builds[0].failure, failure);

  const told = { code: 'compile_error', fault: 'customer', summary: failure.summary };
  const events = (await eventsOf(h, id)).slice(2);
  t.same(
    events.map(({ event_type, build }) => [event_type, build.failure]),
    [
      ['build.failed', told],
      ['build.completed', told],
    ],
  );
  t.match((await h.call('GET', '/errors?kind=build&fault=customer&code=compile_error')).json().errors, [
    { build_id: id, code: 'compile_error', reason_code: 'compile_error', message: failure.summary },
  ]);

  const refused = await h.call('PATCH', `/builds/${id}`, { body: { priority: 1 } });
  t.equal(refused.statusCode, 409);
  t.match(refused.json().error, { code: 'build_not_queued', failure });
  const other = await submit(h);
  await host.start();
  await host.finish(other.id);
  const green = await h.call('PATCH', `/builds/${other.id}`, { body: { priority: 1 } });
  t.equal(green.json().error.failure, undefined, 'nothing to tell of a build that went well');
});

t.test(
  'without a known line in the log, the reason is that of the exit code; logs of successful builds are not searched',
  async (t) => {
    const { h, host } = await withMacs(t, 1);
    const run = async (log: string, result: Parameters<typeof host.finish>[1]) => {
      const { id } = await submit(h);
      await host.start();
      await host.output(id, log);
      await host.finish(id, result);
      return show(h, id);
    };
    t.match(await run('one\ntwo\n', ended), {
      failure: {
        reason_code: 'script_failed',
        summary: ended.summary,
        log_excerpt_lines: [1, 2],
        location: null,
      },
    });
    t.match(await run(LOG, { ...ended, exit_code: 0, reason_code: null, fault: null, summary: null }), {
      status: 'succeeded',
      failure: null,
    });
    t.match(await run(LOG, { ...ended, outcome: 'stopped', stop_reason: 'timeout', reason_code: 'timeout' }), {
      end_reason: 'timeout',
      failure: { reason_code: 'timeout', location: null },
    });
    t.match(await run(LOG, { ...ended, exit_code: 137, reason_code: 'killed', fault: 'unknown' }), {
      failure: { reason_code: 'killed', category: 'unknown' },
    });
    t.match(await run(LOG, { ...ended, work_folder: undefined }), {
      failure: { reason_code: 'compile_error', location: null },
    });
  },
);
