// Pure parts of the console: formats, addresses, failures, axes.
import t from 'tap';
import { changeBuild, getBuild, listBuilds } from '../../client/operations/api.js';
import { listMembers } from '../../client/operations/console.js';
import { listHosts } from '../../client/operations/operator.js';
import { call } from '../../control-plane/console/data/api.js';
import { failureOf } from '../../control-plane/console/data/failure.js';
import { nextAddress } from '../../control-plane/console/data/next-address.js';
import { belowLink, inPlace } from '../../control-plane/console/data/place.js';
import { queryText } from '../../control-plane/console/data/query-text.js';
import { timeTicks, valueTicks } from '../../control-plane/console/design/axis.js';
import { withCommandLine, withCurl } from '../../control-plane/console/pages/overview/first-build.js';
import { createFormat } from '../../control-plane/console/words/format.js';
import { paymentFailure } from '../../control-plane/console/words/payment-failure.js';
import { lastNow, setServiceTime, subscribe } from '../../control-plane/console/words/use-now.js';
import { preferredLanguage } from '../../shared/language.js';

const HOUR = 3_600_000;

t.test('durations, sizes and times in both languages', async (t) => {
  const en = createFormat('en');
  const ko = createFormat('ko');
  for (const [ms, english, korean] of [
    [-5, '0 s', '0초'],
    [59_400, '59 s', '59초'],
    [60_000, '1 min', '1분'],
    [61_000, '1 min 1 s', '1분 1초'],
    [HOUR + 120_000, '1 h 2 min', '1시간 2분'],
    [49 * HOUR, '2 d 1 h', '2일 1시간'],
  ] as const) {
    t.equal(en.duration(ms), english);
    t.equal(ko.duration(ms), korean);
  }
  for (const [ms, english, korean] of [
    [7 * 24 * HOUR, '7 days', '7일'],
    [24 * HOUR, '1 day', '1일'],
    [25 * HOUR, '25 hours', '25시간'],
    [HOUR, '1 hour', '1시간'],
    [90 * 60_000, '90 minutes', '90분'],
    [10_000, '10 seconds', '10초'],
  ] as const) {
    t.same([en.span(ms), ko.span(ms)], [english, korean]);
  }
  t.same([400, 47_000, 55_500, 89_000, 3_598_000, 3_900_000, 11.4 * HOUR, 49.4 * HOUR].map(en.about), [
    '10 s',
    '50 s',
    '1 min',
    '1 min',
    '1 h',
    '1 h 10 min',
    '11 h',
    '2 d 1 h',
  ]);
  t.equal(ko.about(HOUR - 2_000), '1시간');
  t.same([0, 940, 1_200].map(en.lasted), ['< 1 s', '< 1 s', '1 s']);
  t.equal(ko.lasted(0), '< 1초');
  t.same([0, 1_023, 1_536, 3 * 1_024 ** 4].map(en.bytes), ['0 bytes', '1,023 bytes', '1.5 KiB', '3.0 TiB']);
  t.same([65_000, 3_600_900, -1].map(en.countdown), ['1:05', '1:00:00', '0:00']);
  t.equal(en.relative(0, 2_000), 'now');
  t.match(ko.relative(0, 120_000), /^2분 전$/);
  t.equal(en.utc(0), '1970-01-01 00:00:00 UTC');
  t.equal(en.won(20_000), '₩20,000');
  t.match(en.microUsd(1), '0.000001', 'no part of a dollar is lost');
});

t.test('a failed payment: the next step, and the code only if it is one of another company', async (t) => {
  for (const code of ['card_declined', 'declined', 'payment_mismatch', 'unauthorized', 'payment_not_found']) {
    t.match(paymentFailure(code, 'en'), /charged.*\. .+\.$/, code);
    t.match(paymentFailure(code, 'ko'), /청구된 금액은.*[가-힣]세요\.$/u, code);
    for (const language of ['en', 'ko'] as const) t.notMatch(paymentFailure(code, language), `(${code})`);
  }
  for (const code of ['REJECT_CARD_COMPANY', 'toString']) {
    t.match(paymentFailure(code, 'en'), `(${code})`);
    t.match(paymentFailure(code, 'ko'), `(${code})`);
  }
});

t.test('a time that appears on a page is up to date, however long the page showed none', async (t) => {
  let machine = 1_000_000;
  t.intercept(Date, 'now', { value: () => machine });
  setServiceTime(new Date(machine + 500).toISOString());
  machine += 60_000;
  const leave = subscribe(() => {});
  t.equal(lastNow(), machine + 500);
  leave();
});

t.test('the language of a browser', async (t) => {
  t.equal(preferredLanguage(['fr-FR', 'ko-KR', 'en']), 'ko');
  t.equal(preferredLanguage(['fr', '']), undefined);
});

t.test('after signing in, people stay on this site', async (t) => {
  const here = 'https://macs.example';
  t.equal(nextAddress('/o/apple/builds?a=1#L10', here), '/o/apple/builds?a=1#L10');
  const evil = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
  ];
  for (const given of [...evil, 'javascript:alert(1)', '\t//evil.example', '', null, undefined]) {
    t.equal(nextAddress(given, here), null, String(given));
  }
});

t.test('addresses of requests, in an organization, a workspace, below a link, and of operators', async (t) => {
  const all = { id: 'org_1', workspace: null };
  const one = { id: 'org_1', workspace: 'ws_1' };
  t.same(call(inPlace(all, listBuilds)), {
    method: 'GET',
    path: '/v1/organizations/org_1/agent/builds',
    address: '/api/runner/v1/organizations/org_1/agent/builds',
  });
  t.equal(
    call(inPlace(one, listBuilds), { limit: 5, before: null }).address,
    '/api/runner/v1/organizations/org_1/agent/builds?workspace_id=ws_1&limit=5',
  );
  t.match(call(inPlace(one, changeBuild), 'b/1', { priority: 1 }), {
    method: 'PATCH',
    address: '/api/runner/v1/organizations/org_1/agent/builds/b%2F1?workspace_id=ws_1',
    body: { priority: 1 },
  });
  t.equal(call(belowLink('t{o}', getBuild), 'rb_1').address, '/api/runner/v1/shared/t%7Bo%7D/agent/builds/rb_1');
  t.equal(call(listMembers, 'a/b').address, '/api/runner/v1/organizations/a%2Fb/members');
  t.equal(call(listHosts, { q: 'ä&' }).address, '/api/operator/v1/hosts?q=%C3%A4%26');
  t.equal(queryText('/x', { a: 'ä&', b: undefined, c: null, d: '', e: 0, f: false }), '?a=%C3%A4%26&e=0&f=false');
});

t.test('errors of both APIs, and of what is no error of ours', async (t) => {
  const own = failureOf(422, { error: { code: 'invalid_request', message: 'Bad.', request_id: 'r_1' } }, null);
  t.match(own, { status: 422, code: 'invalid_request', message: 'Bad.', requestId: 'r_1' });
  t.match(failureOf(429, { error: { code: 'rate_limited' } }, '12'), { retryAfter: 12, message: 'HTTP 429' });
  for (const body of [undefined, null, 'x', [], { error: 'old' }]) {
    t.match(failureOf(502, body, null), { status: 502, code: 'unexpected_response', retryAfter: null });
  }
});

t.test('ticks of axes', async (t) => {
  t.same(timeTicks(0, 4 * HOUR, 4), [0, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR]);
  t.same(
    timeTicks(HOUR, 3 * 24 * HOUR, 4, 9 * HOUR),
    [15, 39, 63].map((h) => h * HOUR),
    'midnight in Seoul',
  );
  t.same(valueTicks(0), [0, 1]);
  t.same(valueTicks(7), [0, 2, 4, 6, 8]);
  t.same(valueTicks(1_000), [0, 500, 1_000]);
});

t.test('the commands of the first build', async (t) => {
  for (const commands of [withCommandLine, withCurl]) {
    t.match(commands({ site: 'https://macs.example', key: 'cm_1' }), 'CIDERMILL_API_KEY=cm_1');
    t.match(commands({ site: 'https://macs.example', key: null }), 'CIDERMILL_URL=https://macs.example/api/v1');
  }
});
