// Signatures, their check on the receiver's side, retries, and messages for chat services.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { verifyWebhook, WebhookVerificationError } from '../../client/index.js';
import { bodyFor, chatServiceOf } from '../../control-plane/events/domain/chat-message.js';
import { type Attempt, judge, RETRY_GAPS_MS, retryAfterMs } from '../../control-plane/events/domain/delivery.js';
import { subscription } from '../../control-plane/events/domain/webhook.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { signatureOf, signedHeaders } from '../../control-plane/platform/domain/webhook-signature.js';
import { uncoded } from '../../shared/messages/message.js';

const secret = 'whsec_test_0123456789abcdef';
const timestamp = 1_700_000_000;
const now = timestamp * 1000;

t.test('signatures are those that another implementation computes', async (t) => {
  for (const [body, hex] of [
    [
      '{"schema_version":1,"event_id":"evt_test","event_type":"build.succeeded"}',
      '94c6833361c6cc77c20a9dbab32d301dc067287bc2f1cf547337939e597e9f6e',
    ],
    ['{"summary":"빌드 실패 ✗"}', '19122344f5d45cb31fe4e053cb612ebae3bc5f75f627fff0a8d952dae6c8adcf'],
    ['', '814e706027d44b6013448b27b12c76ad281f72d11fcf05d71e1ef85b69465064'],
  ] as const) {
    t.equal(signatureOf(secret, timestamp, body), `sha256=${hex}`);
  }
});

const sign = (body: string, previous: string | null = null, current = secret) =>
  signedHeaders({ eventType: 'build.failed', eventId: 'evt_1', deliveryId: 'dl_1', body }, { current, previous }, now);

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

t.test('a receiver accepts what the service signed, with either secret, within five minutes', async (t) => {
  const body = '{"event_id":"evt_1","build":{"failure":{"summary":"빌드 실패 ✗"}}}';
  const check = (
    headers: Parameters<typeof verifyWebhook>[1],
    options: object = {},
    given: string | Uint8Array = body,
  ) => reasonOf(verifyWebhook(given, headers, secret, { now, ...options }));
  t.match(await verifyWebhook(body, sign(body), secret, { now }), { event_id: 'evt_1' }, 'the event');
  for (const empty of ['', ' \n', undefined as unknown as string]) {
    const reason = await reasonOf(verifyWebhook(body, sign(body), empty, { now }));
    t.equal(reason, 'missing_secret', 'an unset variable accepts nothing');
  }
  t.equal(await check(new Headers(sign(body))), 'accepted', 'Fetch’s headers');
  t.equal(
    await check({
      'X-Svc-Timestamp': String(timestamp),
      'X-Svc-Signature': signatureOf(secret, timestamp, body),
    }),
    'accepted',
  );
  t.equal(await check(sign(body), {}, Buffer.from(body)), 'accepted', 'bytes');
  t.equal(await check(sign(body, secret, 'whsec_new')), 'accepted', 'the old secret during a rotation');
  for (const off of [-300_000, 0, 300_000]) t.equal(await check(sign(body), { now: now + off }), 'accepted');
  for (const off of [-300_001, 300_001, 3e9]) t.equal(await check(sign(body), { now: now + off }), 'stale');
  t.equal(await check(sign(body), { now: now + 301_000, toleranceS: 301 }), 'accepted');
  t.equal(await check(sign(body), {}, `${body} `), 'wrong_signature', 'a changed body');
  t.equal(await check(sign(body), {}, JSON.stringify(JSON.parse(body), null, 1)), 'wrong_signature', 'written anew');
  t.equal(await check(sign(body, null, 'whsec_other')), 'wrong_signature');
  t.equal(await check({ ...sign(body), 'x-svc-timestamp': String(timestamp + 1) }), 'wrong_signature');
  const right = signatureOf(secret, timestamp, body);
  for (const signature of [
    '',
    'sha256=',
    right.toUpperCase(),
    right.slice(0, -1),
    `${right}0`,
    right.slice(7),
    `sha1=${right}`,
  ]) {
    t.equal(await check({ ...sign(body), 'x-svc-signature': signature }), 'wrong_signature', signature);
  }
  for (const name of ['x-svc-timestamp', 'x-svc-signature']) {
    t.equal(await check({ ...sign(body), [name]: undefined }), 'missing_header');
    t.equal(await check({ ...sign(body), [name]: ['1', '2'] }), 'missing_header', 'twice');
  }
  t.equal(await check({ ...sign(body), 'x-svc-timestamp': '1e9' }), 'missing_header');
  t.equal(await check(sign('no JSON'), {}, 'no JSON'), 'not_an_event');
  const invalid = Buffer.from([0xff]);
  const signature = `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(invalid).digest('hex')}`;
  t.equal(
    await check({ 'x-svc-timestamp': String(timestamp), 'x-svc-signature': signature }, {}, invalid),
    'not_an_event',
  );
});

t.test('any body and secret: what one side signs, the other accepts, and nothing else', async () => {
  // Blanks alone are no secret: they are refused as a missing one.
  const secret = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), secret, secret, async (value, one, two) => {
      const body = JSON.stringify(value);
      const headers = sign(body, null, one);
      const accepted = await reasonOf(verifyWebhook(body, headers, one, { now }));
      const other = await reasonOf(verifyWebhook(body, headers, two, { now }));
      // Lone surrogates become the same bytes, and HMAC fills short keys up with zeros.
      const same = Buffer.from(one).toString().replace(/\0+$/, '') === Buffer.from(two).toString().replace(/\0+$/, '');
      return accepted === 'accepted' && (same || other === 'wrong_signature');
    }),
    { numRuns: 50 },
  );
});

t.test('every attempt has one verdict: done, again at a time, or given up', async (t) => {
  const answered = (status: number, headers = {}): Attempt => ({ kind: 'answered', status, headers });
  for (let tries = 1; tries <= 7; tries++) {
    for (let status = 100; status < 600; status++) {
      const verdict = judge(answered(status), tries, now, defaultLimits);
      const again = (status === 429 || status >= 500) && tries <= 5;
      t.equal(verdict.status, status >= 200 && status < 300 ? 'delivered' : again ? 'pending' : 'failed');
      t.equal(verdict.retryInMs, again ? RETRY_GAPS_MS[tries - 1] : null);
      t.equal(verdict.gone, status === 410);
    }
    const lost = judge({ kind: 'unreachable', error: uncoded('ECONNRESET') }, tries, now, defaultLimits);
    t.match(lost, {
      status: tries <= 5 ? 'pending' : 'failed',
      error: { text: 'ECONNRESET' },
      httpStatus: null,
    });
    const forbidden = judge({ kind: 'forbidden', error: uncoded('private') }, tries, now, defaultLimits);
    t.match(forbidden, { status: 'failed', retryInMs: null });
  }
  for (const [text, ms] of [
    ['0', 0],
    [' 120 ', 120_000],
    [new Date(now + 5_000).toUTCString(), 5_000],
    [new Date(now - 5_000).toUTCString(), 0],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['2023-11-14', null],
    ['Tue, 99 Nov 2023 00:00:00 GMT', null],
  ] as const) {
    t.equal(retryAfterMs(text, now), ms, text);
  }
  t.equal(retryAfterMs(undefined, now), null);
  t.same(subscription(['build.completed', 'build.queued', 'build.completed']), ['build.queued', 'build.completed']);
});

const event = (build: object = {}, rest: object = {}) =>
  JSON.stringify({
    event_type: 'build.failed',
    stall: null,
    ...rest,
    build: {
      id: 'rb_1',
      repo: 'acme/app',
      commit: 'abcdef0123',
      pr: 7,
      end_reason: 'exit_nonzero',
      failure: { summary: "<b>don't</b> *panic* & @everyone\nsecond \u202eline" },
      console_url: 'https://macs.example/builds/rb_1',
      ...build,
    },
  });

t.test('chat services get messages in their own form, everybody else the event as it is', async (t) => {
  const slack = 'https://hooks.slack.com/services/T0/B0/x';
  const discord = 'https://discord.com/api/webhooks/1/x';
  const teams = 'https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4';
  for (const [url, service] of [
    [slack, 'slack'],
    ['https://hooks.slack-gov.com/services/x', 'slack'],
    [discord, 'discord'],
    ['https://canary.discord.com/api/v10/webhooks/1/x?wait=true', 'discord'],
    ['https://discordapp.com/api/webhooks/1/x/slack', 'slack'],
    ['https://discord.com/api/webhooks/1/x/github', null],
    ['https://discord.com/channels/1', null],
    [teams, 'teams'],
    ['https://outlook.office.com/webhook/1', 'teams'],
    ['https://prod-1.westeurope.logic.azure.com:443/workflows/1/triggers/manual/paths/invoke?sig=x', 'teams'],
    ['https://x.api.powerplatform.com/powerautomate/automations/direct/workflows/1/triggers', 'teams'],
    ['https://hooks.slack.com.evil.example/services/x', null],
    ['https://evil.example/hooks.slack.com', null],
    ['https://hooks.example.com/x', null],
  ] as const) {
    t.equal(chatServiceOf(url), service, url);
  }
  t.equal(bodyFor('https://hooks.example.com/x', event()), event(), 'to the byte');
  const title = 'Build failed: acme/app #7 abcdef0 (rb_1), exit nonzero';
  t.same(JSON.parse(bodyFor(slack, event())), {
    text: `${title}\n&lt;b&gt;don't&lt;/b&gt; *panic* &amp; @everyone second line\n<https://macs.example/builds/rb_1|Open the build>`,
  });
  const toDiscord = JSON.parse(bodyFor(discord, event()));
  t.same(toDiscord.allowed_mentions, { parse: [] });
  t.match(toDiscord.content, '\\*panic\\*');
  t.ok(bodyFor(discord, event({ failure: { summary: '*'.repeat(600) } })).length < 2000);
  const card = JSON.parse(bodyFor(teams, event()));
  t.match(card, {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: { type: 'AdaptiveCard', actions: [{ url: 'https://macs.example/builds/rb_1' }] },
      },
    ],
  });
  const stalled = event(
    { failure: null, end_reason: null },
    { event_type: 'build.stalled', stall: { reason: 'no_log_output' } },
  );
  t.match(JSON.parse(bodyFor(slack, stalled)).text, /^Build stalled: acme\/app .*, no log output\n</);
  const succeeded = event(
    { failure: null, end_reason: 'succeeded', repo: null, commit: null, pr: null },
    { event_type: 'build.succeeded' },
  );
  t.match(JSON.parse(bodyFor(slack, succeeded)).text, /^Build succeeded: rb_1\n</);
  const test = JSON.stringify({ event_type: 'webhook.test', build: null, stall: null });
  t.match(JSON.parse(bodyFor(slack, test)).text, /test/);
});
