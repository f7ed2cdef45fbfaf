// What becomes of builds on their hosts: every way in which one can end, go on elsewhere, or wait in vain.

import t from 'tap';
import { createStallWatch } from '../../control-plane/builds/app/stalls.js';
import { type BuildResult, summaryFields, warningFields } from '../../shared/build.js';
import { createAdvancingClock } from '../../shared/clock.js';
import { buildWarning } from '../../shared/messages/build-warnings.js';
import { failureCause } from '../../shared/messages/failure-causes.js';
import { type Message, uncoded } from '../../shared/messages/message.js';
import { type BuildHost, eventsOf, startBuildHost } from '../harness/build-host.js';
import { type Harness, START, startHarness } from '../harness/harness.js';
import { type BuildView, HOUR, MINUTE, show, submit, withMacs } from '../harness/submitting.js';

const SECOND_MS = 1_000;

t.test('the host gets the spec and the secrets only until it has reported the attempt', async (t) => {
  const { h, host } = await withMacs(t, 1);
  await h.secrets.put(h.org.id, 'TOKEN', { value: 'hunter2-hunter2' });
  const { id } = await submit(h, { repo_url: 'https://gitlab.com/a/b.git', ref: 'v1', clean_tree: true });
  const [desired] = await host.desired();
  t.match(desired, {
    build_id: id,
    attempt: 1,
    want: 'run',
    secrets: [{ name: 'TOKEN', value: 'hunter2-hunter2' }],
    spec: {
      account_id: h.org.id,
      rental_id: host.rentals[0],
      script: 'make',
      timeout_ms: HOUR,
      clean_tree: true,
      source: { kind: 'git', url: 'https://gitlab.com/a/b.git', ref: 'v1', commit: null, pr: null },
      output_report_ms: 10_000,
      log: { head_bytes: 64 * 2 ** 20 - 256 * 1024, tail_bytes: 256 * 1024 },
    },
  });
  await host.facts({ build_id: id, state: 'starting' });
  t.match((await host.desired())[0], { spec: null, secrets: null });
  const other = await submit(h);
  await host.finish(id);
  t.match((await host.desired())[0], {
    build_id: other.id,
    spec: { source: { url: 'https://github.com/apple/swift.git' } },
  });
});

const failWith = async (h: Harness, host: BuildHost, result: Parameters<BuildHost['finish']>[1]) => {
  const { id } = await submit(h);
  await host.start();
  await host.output(id, Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`).join(''));
  await host.finish(id, result);
  return show(h, id);
};

t.test('warnings are messages; of an older host, and of an older service, they are texts', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const end = async (more: Partial<BuildResult>) => {
    const { id } = await submit(h, { script: 'true\r\n' });
    await host.start();
    await host.finish(id, more);
    return show(h, id);
  };
  const left = buildWarning('processes_left', { count: 2 });
  const held = {
    ...buildWarning('artifact_holds_secret', { name: 'a\u202e', secret: 'TOKEN' }),
    text: 'other',
  };
  const said = await end(warningFields([left, held]));
  t.same(said.warning_messages, [
    { code: 'script_cr_lf', params: {}, text: said.warnings?.[0] },
    left,
    buildWarning('artifact_holds_secret', { name: 'a', secret: 'TOKEN' }),
  ]);
  t.same(
    said.warnings,
    (said.warning_messages ?? []).map(({ text }: Message) => text),
  );
  const older = (await end({ warnings: ['as it was'] })) as unknown as { warning_messages: Message[] };
  t.same(older.warning_messages.at(-1), uncoded('as it was'));
  const [mac] = (await h.call('GET', '/builds?limit=1')).json().builds;
  t.same(mac.warning_messages, older.warning_messages);
  await h.store.transaction((tx) => tx.run(`UPDATE builds SET warnings = '["of a row"]'`));
  t.match(await show(h, said.id), { warnings: ['of a row'], warning_messages: [uncoded('of a row')] });
});

t.test('why a build failed is a message, from its host and from the service', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const bySignal = failureCause('ended_by_signal', { code: 143, signal: 'SIGTERM' });
  const failed = (await failWith(h, host, { exit_code: 143, ...summaryFields(bySignal) })) as unknown as {
    id: string;
    failure: { summary_message: Message; suggestion_message: Message };
  };
  t.match(failed.failure, {
    summary: bySignal.text,
    summary_message: bySignal,
    suggestion_message: { code: 'read_end_of_log', params: {} },
  });
  const [error] = (await h.call('GET', '/errors')).json().errors;
  t.match(error, { message: bySignal.text, failure_message: bySignal });
  const older = await failWith(h, host, { exit_code: 143, summary: 'as it was' });
  t.match(older.failure, { summary_message: uncoded('as it was') }, 'of an older host');
  t.match(await failWith(h, host, { exit_code: 9 }), {
    failure: { summary_message: failureCause('exit_code', { code: 9 }) },
  });
  await h.store.transaction(async (tx) => {
    for (const { id, failure } of await tx.all<{ id: string; failure: string }>(
      'SELECT build_id AS id, failure FROM builds WHERE failure IS NOT NULL',
    )) {
      const { messages: _, ...old } = JSON.parse(failure) as Record<string, unknown>;
      await tx.run('UPDATE builds SET failure = :old WHERE build_id = :id', { id, old: JSON.stringify(old) });
    }
    await tx.run('UPDATE api_errors SET failure_message = NULL');
  });
  const row = await show(h, failed.id);
  t.match(row.failure, {
    summary_message: uncoded(bySignal.text),
    suggestion_message: { code: null, text: /last lines of the log/ },
  });
  t.equal((await h.call('GET', '/errors')).json().errors[0].failure_message, null);
});

t.test('a failed build says who has to act, where to look and what to do', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const failed = await failWith(h, host, {
    exit_code: 65,
    reason_code: 'compile_error',
    fault: 'customer',
    summary: "Foo.swift:3:5: \x1b[31merror:\x1b[0m cannot find \u202e'bar' in scope",
    warnings: ['The artifact x.txt contains the value of the secret TOKEN.', ...Array<string>(500).fill('more')],
  });
  t.match(failed, {
    status: 'failed',
    exit_code: 65,
    end_reason: 'exit_nonzero',
    warnings: { 0: /TOKEN/, length: 100 },
    failure: {
      category: 'customer',
      fault: 'customer',
      step: 'script',
      summary: "Foo.swift:3:5: error: cannot find 'bar' in scope",
      log_url: `http://cidermill.test/api/v1/builds/${failed.id}/log`,
      reason_code: 'compile_error',
      suggestion: /compile error/,
      log_excerpt_lines: [11, 30],
      location: null,
    },
  });
  const [, , event] = await eventsOf(h, failed.id);
  t.match(event, {
    event_type: 'build.failed',
    build: { failure: { code: 'compile_error', fault: 'customer', summary: /cannot find/ } },
  });
  const errors = (await h.call('GET', '/errors?kind=build')).json().errors;
  t.match(errors, [
    {
      kind: 'build',
      build_id: failed.id,
      code: 'compile_error',
      fault: 'customer',
      key_name: 'read+build+manage',
    },
  ]);
  t.match(await failWith(h, host, { exit_code: 139 }), {
    failure: { summary: 'The script ended with exit code 139 (signal 11).' },
  });
  const platform = { outcome: 'failed', exit_code: null, step: 'platform', fault: 'platform' } as const;
  const late = { ...platform, script_started_at: START };
  t.match(await failWith(h, host, { ...late, reason_code: 'host_disk_full', summary: 'No space.' }), {
    end_reason: 'platform_error',
    exit_code: null,
    failure: { category: 'platform', step: 'platform', reason_code: 'host_disk_full' },
  });
});

t.test('a build that never starts expires after 24 hours, after one stall event', async (t) => {
  const h = await startHarness(t);
  const { id } = await submit(h, { queue_until_rental: true });
  await h.pass(15 * MINUTE - 1);
  t.equal((await eventsOf(h, id)).length, 1);
  await h.pass(1);
  t.match((await eventsOf(h, id))[1], {
    event_type: 'build.stalled',
    sequence: 2,
    stall: {
      reason: 'queued_too_long',
      threshold_s: 900,
      since: new Date(START).toISOString(),
      last_output_at: null,
    },
    build: { status: 'queued', wait_reason: 'waiting_for_rental', queue_s: 900 },
  });
  await h.pass(24 * HOUR - 15 * MINUTE - 1);
  t.match(await show(h, id), { status: 'queued' });
  await h.pass(1);
  t.match(await show(h, id), {
    status: 'expired',
    end_reason: 'queue_timeout',
    failure: null,
    timings: { queue_s: 86_400 },
  });
  t.same(
    (await eventsOf(h, id)).map((event) => event.event_type),
    ['build.queued', 'build.stalled', 'build.expired', 'build.completed'],
  );
});

t.test('a report that follows output does not make it later; without output it counts', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h, { timeout_min: 30 });
  await host.start();
  await host.output(id, 'a line\n');
  await h.clock.advance(5_000);
  await host.facts({ build_id: id, last_output_at: 5 });
  t.match(await show(h, id), { timings: { silent_s: 5 } });
  await h.clock.advance(5_000);
  await host.facts({ build_id: id, last_output_at: 6 });
  t.match(await show(h, id), { timings: { silent_s: 0 } });
});

t.test('a silent build causes one stall event, and is stopped at its timeout', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h, { timeout_min: 30 });
  await host.start();
  await h.clock.advance(6 * MINUTE);
  // The host's clock may differ from ours, so only its difference counts.
  await host.facts({ build_id: id, last_output_at: 5 });
  t.match(await show(h, id), { timings: { silent_s: 0 } });
  await h.clock.advance(9 * MINUTE);
  await host.facts({ build_id: id, last_output_at: 5 });
  t.match(await show(h, id), { timings: { silent_s: 9 * 60 } });
  await h.workers.idle();
  t.equal((await eventsOf(h, id)).length, 2);
  await h.pass(1 * MINUTE);
  t.match((await eventsOf(h, id))[2], {
    event_type: 'build.stalled',
    stall: { reason: 'no_log_output', threshold_s: 600 },
    build: { status: 'running', rental_id: host.rentals[0] },
  });
  await h.pass(14 * MINUTE);
  t.match((await host.desired())[0], { want: 'stop', stop_reason: 'timeout' });
  t.match(await show(h, id), { status: 'running' });
  await host.output(id, 'going down\n');
  await host.finish(id, { outcome: 'stopped', stop_reason: 'timeout', exit_code: 143 });
  t.match(await show(h, id), {
    status: 'failed',
    end_reason: 'timeout',
    exit_code: 143,
    failure: { reason_code: 'timeout', fault: 'customer', summary: /30 minutes/ },
    timings: { silent_s: null },
  });
  t.same(
    (await eventsOf(h, id)).map((event) => event.event_type),
    ['build.queued', 'build.started', 'build.stalled', 'build.failed', 'build.completed'],
  );
});

t.test('a build that prints is not called silent because the clock was moved ahead', async (t) => {
  const { h, host } = await withMacs(t, 1, { limits: { stall_confirm_ms: HOUR } });
  const real = createAdvancingClock({ start: 0 });
  const site = { siteUrl: 'http://cidermill.test' };
  const limits = { ...h.limits, stall_confirm_ms: 10_000 };
  const watch = createStallWatch({ ...h, site, limits, realClock: real });
  const stalls = async () => (await eventsOf(h, id)).filter(({ event_type }) => event_type === 'build.stalled').length;
  const { id } = await submit(h, { timeout_min: 360 });
  await host.start();
  for (let n = 0; n < 5; n++) {
    await host.output(id, `line ${n}\n`);
    t.match(await show(h, id), { timings: { silent_s: 0 } }, 'the bytes count, not the reports of the host');
    await h.clock.advance(HOUR);
    await watch();
    t.equal(await stalls(), 0, 'it has not had the time to print');
    await real.advance(1_000);
  }
  const next = await watch();
  t.ok(typeof next === 'number' && next <= h.clock.now() + 10_000, 'it is checked again');
  await real.advance(10_000);
  await watch();
  t.equal(await stalls(), 1, 'one that really prints nothing is silent');
  await watch();
  t.equal(await stalls(), 1);
});

t.test('a host that is away keeps its builds for ten minutes, then they are lost', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const run = await submit(h, { timeout_min: 360 });
  await host.start();
  await host.output(run.id, 'begun');
  await host.disconnect();
  const waits = await submit(h);
  t.match(waits, { wait_reason: 'mac_in_maintenance', estimated_wait_s: null });
  t.equal((await show(h, waits.id)).status, 'queued', 'nothing new is given to it');
  await h.clock.advance(9 * MINUTE);
  await host.connect();
  t.equal((await show(h, waits.id)).status, 'running', 'it is back');
  t.equal(await host.output(run.id, ', going on'), 15, 'and goes on with its log');
  await host.disconnect();
  await h.call('POST', `/builds/${waits.id}/cancel`);
  await h.pass(10 * MINUTE);
  t.match(await show(h, run.id), {
    status: 'failed',
    end_reason: 'platform_error',
    failure: { category: 'platform', step: 'platform', reason_code: 'host_lost', log_excerpt_lines: [1, 2] },
  });
  t.match(await show(h, waits.id), { status: 'cancelled' }, 'what was to be stopped is stopped');
  t.match((await h.call('GET', `/builds/${run.id}/log`)).body, /^begun, going on\n\[cidermill\] .*lost/);
  const late = await h.runs.output(host.hostId, { build_id: run.id, attempt: 1, offset: 15 }, Buffer.from('late'));
  t.equal(late.nextOffset, 19, 'late output is taken and dropped');
});

t.test('a build that its host has lost fails with fault platform', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.facts({ build_id: id, state: 'absent' });
  t.match(await show(h, id), { status: 'running' }, 'a host that was not told yet has not lost it');
  await host.facts({ build_id: id });
  await host.facts({ build_id: id, attempt: 2, state: 'absent' });
  t.match(await show(h, id), { status: 'running' }, 'another attempt');
  await host.facts({ build_id: id, state: 'absent' });
  t.match(await show(h, id), { status: 'failed', failure: { reason_code: 'host_lost' } });
  t.match((await h.call('GET', '/status')).json().macs, [{ state: 'ready' }]);
});

t.test('a lost Mac ends its build and is recreated', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const endsAt = (await h.call('GET', '/status')).json().macs[0].ends_at;
  const { id } = await submit(h);
  await host.start();
  await host.mac(mac, 'preparing');
  t.match(await show(h, id), { status: 'running' }, 'a host that looks again at its Macs harms nobody');
  await host.mac(mac, 'failed');
  t.match(await show(h, id), { status: 'failed', failure: { reason_code: 'mac_lost' } });
  const status = () => h.call('GET', '/status').then((answer) => answer.json().macs[0]);
  t.match(await status(), { state: 'preparing' });
  await h.clock.advance(HOUR);
  await host.mac(mac, 'ready');
  const later = new Date(Date.parse(endsAt) + HOUR).toISOString();
  t.match(await status(), { state: 'ready', ends_at: later }, 'the hour without it is added to its time');
});

t.test('an incomplete log is requested again, then given up', async (t) => {
  const { h, host } = await withMacs(t, 2, { oneClock: true, limits: { log_lost_after_ms: 0 } });
  const ok = await submit(h);
  const bad = await submit(h);
  await host.start();
  for (const { id } of [ok, bad]) await host.output(id, 'first part\n');
  const more = { bytes: 100, sha256: '0'.repeat(64), omitted_bytes: 0, possibly_truncated: false };
  t.equal(await host.finish(ok.id, { log: more }), 11, 'the rest is asked for');
  t.equal(await host.finish(bad.id, { log: more, exit_code: 4 }), 11);
  t.match(await show(h, ok.id), { status: 'running' }, 'no end without the log');
  await h.pass(30_000);
  t.match(await show(h, ok.id), {
    status: 'succeeded',
    exit_code: 0,
    failure: null,
    warnings: [/log was lost/],
  });
  t.match(await show(h, bad.id), {
    status: 'failed',
    exit_code: 4,
    end_reason: 'exit_nonzero',
    failure: { reason_code: 'log_lost', category: 'platform', summary: /exit code 4.*lost/ },
  });
  t.match((await h.call('GET', `/builds/${ok.id}/log`)).body, /^first part\n\[cidermill\] /);
});

t.test('a stop that a connected host never confirms ends the build, and keeps its Mac from the next', async (t) => {
  const { h, host } = await withMacs(t, 1, {
    oneClock: true,
    limits: { kill_grace_ms: 0, stop_unconfirmed_ms: 0 },
  });
  const [mac = ''] = host.rentals;
  const { id } = await submit(h, { timeout_min: 1 });
  const next = await submit(h);
  await host.start();
  await host.output(id, 'begun\n');
  const [before] = await host.macs();
  await h.pass(MINUTE);
  const failure = { summary: 'The build was still running after 1 minute and was stopped.' };
  t.match(await show(h, id), {
    status: 'failed',
    end_reason: 'timeout',
    failure,
    warnings: [/did not confirm/],
  });
  t.match((await h.call('GET', `/builds/${id}/log`)).body, /^begun\n\[cidermill\] .*log may not be complete/);
  t.same(await host.desired(), [], 'the host is told to end what it still has of it');
  const status = () => h.call('GET', '/status').then((answer) => answer.json().macs[0]);
  t.match(await status(), { state: 'preparing' });
  t.match(await show(h, next.id), { status: 'queued', wait_reason: 'mac_preparing' });

  // Late reports about the old attempt change nothing.
  await host.facts({ build_id: id });
  await host.facts({ build_id: id, state: 'absent' });
  const late = { build_id: id, attempt: 1, offset: 6 };
  t.equal((await h.runs.output(host.hostId, late, Buffer.from('late'))).nextOffset, 10);
  await host.mac(mac, 'ready', { revision: before?.revision ?? -1 });
  await h.workers.idle();
  t.match(await status(), { state: 'preparing' }, 'a Mac as it was before is not confirmed');
  t.match(await show(h, id), { status: 'failed', end_reason: 'timeout' });
  t.same(
    (await host.macs()).map(({ generation }) => generation),
    [before?.generation],
    'it is not made anew',
  );

  await host.mac(mac, 'ready');
  await h.workers.idle();
  t.match(await show(h, next.id), { status: 'running' });
});

t.test('a stopped build whose host is away, or has time left, goes on waiting for it', async (t) => {
  const { h, host } = await withMacs(t, 2, {
    oneClock: true,
    limits: { kill_grace_ms: 0, stop_unconfirmed_ms: HOUR },
  });
  const { id } = await submit(h);
  await host.start();
  await h.call('POST', `/builds/${id}/cancel`);
  await h.workers.idle();
  t.match(await show(h, id), { status: 'running' });
  await host.disconnect();
  const away = await withMacs(t, 1, { oneClock: true, limits: { kill_grace_ms: 0, stop_unconfirmed_ms: 0 } });
  const other = await submit(away.h);
  await away.host.start();
  await away.host.disconnect();
  await away.h.call('POST', `/builds/${other.id}/cancel`);
  await away.h.workers.idle();
  t.match(await show(away.h, other.id), { status: 'running' });
});

t.test('a script whose #! line ends in CR LF is explained', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const says = 'bash: /builds/script: cannot execute: required file not found\n';
  const end = async (script: string, exit_code: number) => {
    const { id } = await submit(h, { script });
    await host.start();
    await host.output(id, says);
    await host.finish(id, {
      exit_code,
      reason_code: exit_code === 127 ? 'command_not_found' : 'script_failed',
    });
    return (await show(h, id)).failure;
  };
  for (const [script, exit] of [
    ['#!/bin/bash\r\necho hi\r\n', 127],
    ['#!/usr/bin/env python3\r\n', 126],
    ['#!/bin/bash -e\r\n', 2],
  ] as const) {
    t.match(await end(script, exit), {
      category: 'customer',
      reason_code: 'not_executable',
      summary: /first line of the script \(#!\) ends in CR LF/,
      suggestion: /LF line endings/,
      log_excerpt_lines: [1, 1],
    });
  }
  for (const script of ['\uFEFF#!/bin/bash\necho hi\n', '\uFEFFecho hi\n']) {
    t.match(await end(script, 127), {
      category: 'customer',
      reason_code: 'command_not_found',
      summary: /begins with a byte order mark/,
      suggestion: /without a byte order mark/,
    });
  }
  for (const [script, exit] of [
    ['#!/bin/bash\necho hi\r\n', 127],
    ['#!/bin/bash\r\necho hi\r\n', 1],
    ['echo hi\r\n', 127],
  ] as const) {
    t.notMatch((await end(script, exit)) ?? {}, { summary: /CR LF/ }, script);
  }
  const warnings = async (script: string) => {
    const { id } = await submit(h, { script });
    await host.start();
    await host.finish(id);
    return (await show(h, id)).warnings;
  };
  t.match(await warnings('\uFEFF#!/bin/bash\r\ntrue\r\n'), [/byte order mark/, /end in CR LF/]);
  t.match(await warnings(`# ${'x'.repeat(2_000)}\nmake\r\n`), [/end in CR LF/], 'far behind the excerpt');
  t.same(await warnings('#!/bin/bash\nprintf "a\\r\\n"\n'), [], 'as it should be');
});

t.test('a host that has lost a log ends the build with the part that was sent', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const ok = await submit(h);
  const bad = await submit(h);
  await host.start();
  for (const { id } of [ok, bad]) await host.output(id, 'first part\n');
  const log = { bytes: 0, sha256: '0'.repeat(64), omitted_bytes: 0, possibly_truncated: true, lost: true };
  t.equal(await host.finish(ok.id, { log }), null);
  t.equal(
    await host.finish(bad.id, {
      log,
      outcome: 'failed',
      step: 'platform',
      exit_code: null,
      fault: 'platform',
      reason_code: 'internal_error',
      summary: 'Gone.',
    }),
    null,
  );
  t.match(await show(h, ok.id), { status: 'succeeded', warnings: [/log was lost/] });
  t.match(await show(h, bad.id), { status: 'failed', failure: { reason_code: 'internal_error' } });
  t.match((await h.call('GET', `/builds/${ok.id}/log`)).body, /^first part\n\[cidermill\] /);
  t.match((await h.call('GET', '/status')).json().macs, [{ state: 'ready' }, { state: 'ready' }]);
});

t.test('when a rental ends, its builds move, wait again, stop or expire; the log goes on', async (t) => {
  const h = await startHarness(t);
  const short = await startBuildHost(h, { macs: 3, hours: 24 });
  const [first = ''] = short.rentals;
  const long = await startBuildHost(h, { macs: 1, hours: 720 });
  const [other = ''] = long.rentals;
  await h.clock.advance(24 * HOUR - 9 * MINUTE);
  const blocker = await submit(h, { rental_id: other });
  const pinnedRun = await submit(h, { rental_id: first });
  const running = [(await submit(h)).id, (await submit(h)).id];
  const pinnedWait = await submit(h, { rental_id: first });
  await long.start();
  await short.start();
  for (const id of [pinnedRun.id, ...running]) await short.output(id, `begun ${id}`);
  await long.finish(blocker.id);
  const endAt = h.clock.now() + 9 * MINUTE;
  await h.pass(9 * MINUTE);

  t.match(await show(h, pinnedWait.id), { status: 'expired', end_reason: 'pinned_mac_ended' });
  t.match(
    (await short.desired()).map(({ build_id, want, stop_reason }) => ({ build_id, want, stop_reason })),
    [{ build_id: pinnedRun.id, want: 'stop', stop_reason: 'rental_ended' }],
  );
  await short.finish(pinnedRun.id, { outcome: 'stopped', stop_reason: 'rental_ended', exit_code: 143 });
  t.match(await show(h, pinnedRun.id), { status: 'cancelled', end_reason: 'rental_ended' });

  const after = await Promise.all(running.map((id) => show(h, id)));
  t.same(after.map((build) => build.status).sort(), ['queued', 'running'], 'one Mac was free');
  t.ok(after.every((build) => Number(build.attempt) === 2));
  const now = after.find((build) => build.status === 'running');
  const next = after.find((build) => build.status === 'queued');
  t.match(now, { rental_public_id: other });
  t.match(next, {
    queue_position: 1,
    wait_reason: 'mac_busy',
    rental_public_id: null,
    timings: { started_at: null },
  });
  await submit(h, { queue_until_rental: true });
  t.match(await show(h, next?.id ?? ''), { queue_position: 1 }, 'at the head of the queue');
  const stalls = async () =>
    (await eventsOf(h, next?.id ?? '')).filter(({ event_type }) => event_type === 'build.stalled');
  const endedBy = h.clock.now();
  await h.pass(15 * MINUTE - SECOND_MS);
  t.same(await stalls(), [], 'it has run since it was made, and waits only since its Mac ended');
  await h.pass(SECOND_MS);
  const [told, ...more] = await stalls();
  const { stall = null } = told ?? {};
  t.match(stall, { reason: 'queued_too_long', threshold_s: 900 });
  const since = Date.parse(String(stall?.since));
  t.ok(since >= endAt - SECOND_MS && since <= endedBy, `since its Mac ended, not ${new Date(since).toISOString()}`);
  t.same(more, []);

  t.same(await long.start(), [now?.id]);
  const stale = { build_id: now?.id ?? '', attempt: 1, offset: 20 };
  await h.runs.output(short.hostId, stale, Buffer.from('from the grave'));
  await long.output(now?.id ?? '', 'second try\n');
  await long.finish(now?.id ?? '');
  const log = (await h.call('GET', `/builds/${now?.id}/log`)).body;
  t.match(log, new RegExp(`^begun ${now?.id}\\n\\[cidermill\\] .*attempt 2.*\\nsecond try\\n$`));
  t.same(
    (await eventsOf(h, now?.id ?? '')).map((event) => event.event_type),
    ['build.queued', 'build.started', 'build.stalled', 'build.succeeded', 'build.completed'],
    'its end is told once, its start too',
  );
  t.same(await long.start(), [next?.id], 'the one that waited again goes on');
  t.match(await show(h, next?.id ?? ''), { attempt: 2, status: 'running' });
  t.equal((await eventsOf(h, next?.id ?? '')).filter((event) => event.event_type === 'build.started').length, 1);
});

t.test('the end of the last Mac: builds expire unless they may wait for a rental', async (t) => {
  const h = await startHarness(t);
  const host = await startBuildHost(h, { macs: 1, hours: 24 });
  await h.clock.advance(23 * HOUR);
  const run = await submit(h, { timeout_min: 360 });
  await host.start();
  const stranded = await submit(h);
  const patient = await submit(h, { queue_until_rental: true });
  await h.pass(HOUR);
  t.match(await show(h, stranded.id), { status: 'expired', end_reason: 'no_mac_left' });
  t.match(await show(h, patient.id), { status: 'queued', wait_reason: 'waiting_for_rental' });
  t.match((await h.call('GET', '/status')).json(), { macs: [], plan: { active_macs: 0 } });
  await host.facts({ build_id: run.id, state: 'absent' });
  t.match(await show(h, run.id), { status: 'cancelled', end_reason: 'rental_ended' });
});

t.test('a build ends once, however its endings race', async (t) => {
  const { h, host } = await withMacs(t, 4);
  const ids = await Promise.all(Array.from({ length: 40 }, async () => (await submit(h)).id));
  for (let round = 0; round < 100; round++) {
    const here = await host.start();
    const active = (await h.call('GET', '/builds?status=active&limit=200')).json().builds as BuildView[];
    if (active.length === 0) break;
    const all = await host.desired();
    await Promise.all([
      ...active.filter((_, i) => (i + round) % 5 === 0).map(({ id }) => h.call('POST', `/builds/${id}/cancel`)),
      // A report that comes too late is refused; how every build ended is checked below.
      ...all.flatMap(({ build_id: id }) => [
        host.finish(id).catch(() => null),
        host.finish(id, { exit_code: 1 }).catch(() => null),
        host.facts({ build_id: id, state: 'absent' }),
      ]),
      ...here.map((id) => h.call('PATCH', `/builds/${id}`, { body: { priority: 1 } })),
    ]);
    await h.workers.idle();
  }
  for (const id of ids) {
    const events = await eventsOf(h, id);
    t.equal(events.filter((event) => event.event_type === 'build.completed').length, 1, id);
    t.same(
      events.map((event) => event.sequence),
      events.map((_, i) => i + 1),
    );
  }
  t.same(
    await h.store.all(`SELECT 1 FROM macs WHERE state <> 'ready' OR build_id IS NOT NULL`),
    [],
    'every Mac is free',
  );
});
