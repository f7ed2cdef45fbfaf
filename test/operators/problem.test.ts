// When a problem is announced, and when its end is.
import fc from 'fast-check';
import t from 'tap';
import { chatBody } from '../../control-plane/events/domain/chat-message.js';
import { UNKNOWN_ADDRESS } from '../../control-plane/hosts/domain/credential-conflict.js';
import {
  chatLinesOf,
  mailOf,
  type Notice,
  noticesOf,
  payloadOf,
  summaryOf,
  TEST_KIND,
} from '../../control-plane/operators/domain/notice.js';
import {
  judgeProblems,
  keyOf,
  type Problem,
  problemKinds,
  type Sighting,
} from '../../control-plane/operators/domain/problem.js';
import {
  sightingOfSettlement,
  sightingsOfHost,
  sightingsOfTier,
} from '../../control-plane/operators/domain/sightings.js';
import type { ManualSettlement } from '../../control-plane/payments/domain/manual-settlement.js';
import { languages } from '../../shared/language.js';
import { say } from '../../shared/messages/message.js';
import { operatorNotices } from '../../shared/messages/operator-notices.js';
import { operatorProblem, operatorProblems } from '../../shared/messages/operator-problems.js';

const MINUTE = 60_000;
const limits = {
  notice_gather_ms: MINUTE,
  notice_clear_ms: 5 * MINUTE,
  notice_clear_max_ms: 60 * MINUTE,
  notice_offline_ms: 2 * MINUTE,
  capacity_low_percent: 10,
};

const reason = operatorProblem('not_heard', { since: '1970-01-01' });
const seen = (subject: string) =>
  ({ kind: 'host.offline', subject, name: subject, state: 'present', reason }) satisfies Sighting;
const unclearOf = (subject: string): Sighting => ({ ...seen(subject), state: 'unclear' });

/** Plays one observation a minute; returns each announcement with its minute. */
function play(minutes: readonly (readonly Sighting[])[]): string[] {
  let known: readonly Problem[] = [];
  const told: string[] = [];
  minutes.forEach((sightings, minute) => {
    const judged = judgeProblems(known, sightings, minute * MINUTE, limits);
    known = judged.kept;
    const names = (problems: readonly Problem[]) => problems.map(({ subject }) => subject).join('+');
    if (judged.begun.length > 0) told.push(`${minute}: ${names(judged.begun)} began`);
    if (judged.ended.length > 0) told.push(`${minute}: ${names(judged.ended)} ended`);
  });
  return told;
}

const repeat = (times: number, ...sightings: Sighting[]) => Array.from({ length: times }, () => sightings);
const a = seen('a');
const b = seen('b');
const unclear = unclearOf('a');

t.test('problems are announced once, and together', async (t) => {
  t.same(play([[a], [], ...repeat(9)]), [], 'one that goes by itself is none');
  t.same(play(repeat(500, a)), ['1: a began']);
  t.same(play([[a], ...repeat(30, a, b)]), ['1: a+b began'], 'the second does not wait for its own minute');
  t.same(play([...repeat(3, a), ...repeat(20)]), ['1: a began', '9: a ended']);
  t.same(play([...repeat(3, a, b), ...repeat(20)]), ['1: a+b began', '9: a+b ended']);
  t.same(play([...repeat(3, a, b), [b], ...repeat(20)]), ['1: a+b began', '9: a+b ended'], 'a minute apart');
  t.same(play(repeat(50, unclear)), []);
  t.same(play([...repeat(3, a), ...repeat(50, unclear), ...repeat(9)]), ['1: a began', '59: a ended']);
  t.same(play([[a], ...repeat(5, unclear), ...repeat(3, a)]), ['6: a began'], 'unclear does not begin it');
});

t.test('one that comes and goes does not flood', async (t) => {
  const flapping = Array.from({ length: 60 * 24 }, (_, minute) => (minute % 8 < 4 ? [a] : []));
  t.same(play(flapping), ['1: a began'], 'gone for four minutes at a time');
  const slower = Array.from({ length: 60 * 24 }, (_, minute) => (minute % 20 < 10 ? [a] : []));
  t.same(play(slower).length, 3, 'gone for ten minutes: its second end would need ten minutes and more');
  const [first, , third] = play([...repeat(3, a), ...repeat(10), ...repeat(3, a), ...repeat(9), ...repeat(9)]);
  t.equal(first, '1: a began');
  t.equal(third, '14: a began');
  const nextDay = [...repeat(3, a), ...repeat(60 * 26), ...repeat(3, a), ...repeat(10)];
  t.same(
    play(nextDay).map((line) => line.replace(/^\d+: /, '')),
    ['a began', 'a ended', 'a began', 'a ended'],
    'a day later it is a new one, whose end comes as soon',
  );
});

t.test('for any observations, beginnings and ends alternate, and the next time is honored', async (t) => {
  const state = fc.constantFrom('present', 'unclear', 'absent');
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(fc.tuple(state, state, fc.integer({ min: 1, max: 20 })), { maxLength: 60 }), (steps) => {
        let known: readonly Problem[] = [];
        let now = 0;
        const open = new Set<string>();
        for (const [one, two, minutes] of steps) {
          const sightings = [['a', one] as const, ['b', two] as const].flatMap(([subject, state]) =>
            state === 'absent' ? [] : [state === 'present' ? seen(subject) : unclearOf(subject)],
          );
          const until = now + minutes * MINUTE;
          for (let at: number | null = now; at !== null && at <= until; ) {
            now = at;
            const judged = judgeProblems(known, sightings, now, limits);
            known = judged.kept;
            for (const problem of judged.begun) {
              if (open.has(keyOf(problem))) throw new Error('began twice');
              open.add(keyOf(problem));
            }
            for (const problem of judged.ended) if (!open.delete(keyOf(problem))) throw new Error('ended twice');
            if (judged.nextAt !== null && judged.nextAt <= now) throw new Error('due again at once');
            // A check in between, when nothing is due, changes nothing.
            const middle = Math.min(judged.nextAt ?? until, until) - 1;
            if (middle > now) {
              const again = judgeProblems(known, sightings, middle, limits);
              if (again.begun.length + again.ended.length > 0) throw new Error('not due');
            }
            at = judged.nextAt;
          }
          now = until;
        }
        const begun = known.filter(({ begunAt }) => begunAt !== null).map(keyOf);
        if (begun.sort().join() !== [...open].sort().join()) throw new Error('what is open is not what was told');
      }),
      { numRuns: 300 },
    ),
  );
});

const host = {
  hostId: 'host_1',
  name: 'mac-1',
  tier: 'm4',
  status: 'active',
  draining: false,
  diskLow: false,
  blocked: null,
  health: null,
  connected: true,
  lastSeenAt: 0,
  credentialConflict: null,
  createdAt: 0,
  inventory: null,
} as never as Parameters<typeof sightingsOfHost>[0];
const kinds = (more: object, now = 10 * MINUTE, macs: Parameters<typeof sightingsOfHost>[1] = []) =>
  sightingsOfHost({ ...host, ...more }, macs, now, limits).map(({ kind, state }) => `${kind} ${state}`);

t.test('what is seen of a host', async (t) => {
  const failed = {
    health: { checked_at: 0, findings: [{ check: 'sleep', status: 'failed', found: '', fix: null }] },
  };
  const stale = ['host.unhealthy unclear', 'host.disk_low unclear', 'host.macs_failing unclear'];
  t.same(kinds({}), []);
  t.same(kinds({ connected: false }), ['host.offline present', ...stale]);
  t.same(kinds({ connected: false, lastSeenAt: 9 * MINUTE }), ['host.offline unclear', ...stale]);
  t.same(kinds({ connected: false, lastSeenAt: null, createdAt: 9 * MINUTE }), ['host.offline unclear', ...stale]);
  t.same(kinds({ connected: false, ...failed, diskLow: true }), ['host.offline present', ...stale]);
  t.same(kinds({ ...failed, diskLow: true }), ['host.unhealthy present', 'host.disk_low present']);
  t.same(kinds({ ...failed, status: 'draining' }), ['host.unhealthy unclear'], 'somebody works on it');
  const problem = { code: 'disk_full', detail: null, since: 0 } as const;
  const failing = { rentalId: 'rt_1', name: 'Release', orgName: 'Example', problem };
  t.same(kinds({}, 0, [failing]), ['host.macs_failing present']);
  t.same(kinds({ connected: false, status: 'draining' }), ['host.offline unclear', ...stale]);
  t.same(kinds({ connected: false, status: 'cordoned' }), ['host.offline present', ...stale]);
  for (const status of ['removed', 'pending']) t.same(kinds({ connected: false, status }), []);
  const conflict = { credentialConflict: { at: 0, addresses: ['192.0.2.1', '192.0.2.7'] } };
  t.same(kinds({ ...conflict, status: 'draining' }), ['host.credential_conflict present']);
  t.same(kinds({ ...conflict, status: 'removed' }), []);
  const low = (free: number, used: number, salesOpen = true) =>
    sightingsOfTier({ tier: 'm4', salesOpen }, { free, used, unsellable: 0 }, limits).length;
  t.same([low(0, 10), low(1, 9), low(9, 91), low(0, 0), low(0, 10, false)], [1, 0, 1, 0, 0]);
});

/** The messages about the only problem, in English and in Korean. */
const said = ([one]: readonly Sighting[]) =>
  one?.state === 'present' ? languages.map((language) => say(operatorProblems, language, one.reason)) : [];

t.test('what is wrong has a code, and is said in each language', async (t) => {
  const saidOf = (more: object, macs: Parameters<typeof sightingsOfHost>[1] = []) =>
    said(sightingsOfHost({ ...host, ...more }, macs, 10 * MINUTE, limits));
  const finding = (check: string | null, status: string) => ({ check, status, found: '', fix: null });
  const health = (...findings: object[]) => ({ health: { checked_at: 0, findings } });
  t.same(saidOf(health(finding('sleep', 'failed'), finding('clock', 'ok'))), ['failed: sleep', '실패한 점검: sleep']);
  t.same(saidOf(health(finding('clock', 'warning'), finding('sleep', 'failed'), finding(null, 'failed'))), [
    'failed: sleep, unknown; 1 warning',
    '실패한 점검: sleep, unknown, 경고 1개',
  ]);
  const inventory = { disk_free_bytes: 2 ** 30, disk_reserve_bytes: 2 ** 31 };
  t.same(saidOf({ diskLow: true, inventory }), [
    '1.0 GiB free, less than the reserve of 2.0 GiB: takes no builds',
    '여유 공간이 1.0 GiB로 예비 공간 2.0 GiB보다 적어 빌드를 받지 않습니다',
  ]);
  const problem = { code: 'disk_full', detail: null, since: 0 } as const;
  const failing = ['Release', 'rt_2'].map((name, at) => ({
    rentalId: `rt_${at + 1}`,
    name,
    orgName: 'Example',
    problem,
  }));
  t.same(saidOf({}, failing), [
    'cannot make 2 Macs, and keeps trying: Example / Release (rt_1): disk_full, Example / rt_2: disk_full',
    'Mac 2대를 만들지 못해 다시 시도하고 있습니다: Example / Release (rt_1): disk_full, Example / rt_2: disk_full',
  ]);
  t.match(sightingsOfHost({ ...host, connected: false, lastSeenAt: null }, [], 10 * MINUTE, limits)[0], {
    reason: { code: 'never_connected', params: { since: '1970-01-01T00:00:00.000Z' } },
  });

  const conflict = (how: string, ...addresses: string[]) =>
    saidOf({ credentialConflict: { at: 0, how, addresses } })[0];
  const at = '(1970-01-01T00:00:00.000Z)';
  t.equal(
    conflict('two_agents', '192.0.2.1', '192.0.2.7'),
    `two agents used its credential ${at}, from 192.0.2.1, 192.0.2.7`,
  );
  const other = `another machine used its credential ${at}, from 192.0.2.7`;
  t.equal(conflict('other_machine', '192.0.2.1', '192.0.2.7'), `${other} (before: 192.0.2.1)`);
  t.equal(conflict('other_machine', UNKNOWN_ADDRESS, '192.0.2.7'), other);

  const slots = { free: 0, used: 9, unsellable: 1 };
  t.equal(
    said(sightingsOfTier({ tier: 'm4', salesOpen: true }, slots, limits))[0],
    '0 of 10 slots can be sold (9 used, 1 unsellable)',
  );
  const settlement = (kind: ManualSettlement['kind'], amountWon: number | null) =>
    said([sightingOfSettlement({ id: 'pc_1', kind, orderNo: 'TU-1', amountWon } as ManualSettlement)]);
  t.same(settlement('refused', 12_000), [
    'the provider refuses the refund of 12,000 won',
    '결제 대행사가 12,000원 환불을 거부합니다',
  ]);
  t.equal(settlement('refused', null)[0], 'the provider refuses the refund of the whole charge');
  t.equal(settlement('over_returned', 1_500)[0], '1,500 won more were returned than were charged');
  t.equal(settlement('over_returned', null)[0], 'more was returned than was charged');
});

t.test('the words of notices', async (t) => {
  const { state: _state, ...sighted } = seen('host_1');
  const problem = {
    ...sighted,
    message: reason.text,
    name: 'mac-1',
    seenAt: 0,
    begunAt: 0,
    goneAt: null,
    times: 1,
    endedAt: null,
  };
  const many = Array.from({ length: 300 }, (_, i) => ({
    ...problem,
    subject: `host_${i}`,
    name: `mac-${i}`,
  }));
  const [one] = noticesOf([problem], false);
  const [lots] = noticesOf(many, true);
  const low = { ...problem, kind: 'capacity.low', subject: 'm4', name: 'm4' } as const;
  if (!one || !lots) throw new Error('no notice');
  t.same(summaryOf(one), { code: 'host_offline', params: { name: 'mac-1' }, text: 'host mac-1 is offline' });
  t.same(summaryOf(lots), {
    code: 'host_offline_over_many',
    params: { count: 300 },
    text: '300 hosts are no longer offline',
  });
  for (const kind of problemKinds) {
    for (const problems of [one.problems, lots.problems]) {
      for (const resolved of [false, true]) {
        const summary = summaryOf({ kind, resolved, problems });
        t.match(say(operatorNotices, 'ko', summary), /[가-힣]/u, `${kind} ${summary.code}`);
        t.equal(/no longer|again|settled/.test(summary.text), resolved, summary.text);
      }
    }
  }
  const mail = mailOf([lots, ...noticesOf([low], false)], 'https://macs.example', 'en');
  t.equal(mail.subject, 'Cidermill: 300 hosts are no longer offline, and 1 more notice');
  t.match(mail.text, /^mac-199 \(host_199\): since 1970-01-01T00:00:00\.000Z\nand 100 more\n\ntier m4 is nearly/m);
  t.match(mailOf([{ kind: TEST_KIND, resolved: false, problems: [] }], 's', 'en').text, /^this is a test/);
  const korean = mailOf([one, lots], 'https://macs.example', 'ko');
  t.equal(korean.subject, 'Cidermill: 호스트 mac-1의 연결이 끊겼습니다 외 알림 1건');
  t.match(korean.text, /^mac-1 \(host_1\): 1970-01-01 이후 응답이 없습니다$/m);
  t.match(korean.text, /^호스트 300대의 연결 끊김이 해소되었습니다\.$/m);
  const older = noticesOf([{ ...problem, message: 'gone', reason: null }], false);
  t.match(mailOf(older, 's', 'ko').text, /^mac-1 \(host_1\): gone$/m, 'of an older version: in English');
  const long = many.map((host) => ({
    ...host,
    kind: 'host.unhealthy' as const,
    reason: operatorProblem('checks_failed', { checks: 'check_a, '.repeat(300), warnings: 0 }),
  }));
  const [unhealthy] = noticesOf(long, false);
  if (!unhealthy) throw new Error('no notice');
  const discord = 'https://discord.com/api/webhooks/1/x';
  const { content } = JSON.parse(chatBody(discord, chatLinesOf(unhealthy), null) ?? '') as {
    content: string;
  };
  t.ok(content.length < 2_000, `${content.length} characters`);
  t.match(content, /^Cidermill: 300 hosts are unhealthy\n.*\nand 290 more\n/s);
  const stored: Notice = {
    seq: 1,
    noticeId: 'evt_1',
    createdAt: 0,
    announced: true,
    mailIds: [],
    webhook: 'none',
    attempts: 0,
    dueAt: null,
    httpStatus: null,
    error: null,
    errorMessage: null,
    ...one,
  };
  t.same(JSON.parse(payloadOf(stored)), {
    schema_version: 1,
    event_id: 'evt_1',
    event_type: 'host.offline',
    resolved: false,
    occurred_at: '1970-01-01T00:00:00.000Z',
    summary: 'host mac-1 is offline',
    summary_message: { code: 'host_offline', params: { name: 'mac-1' }, text: 'host mac-1 is offline' },
    tiers: [],
    payments: [],
    hosts: [
      {
        host_id: 'host_1',
        name: 'mac-1',
        message: 'not heard since 1970-01-01',
        reason: { code: 'not_heard', params: { since: '1970-01-01' }, text: 'not heard since 1970-01-01' },
        since: '1970-01-01T00:00:00.000Z',
      },
    ],
  });
});
