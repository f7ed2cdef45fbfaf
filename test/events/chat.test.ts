// Addresses of chat services are taken as they are: over TLS, by their name, they get a message in their own form, and
// the usual headers sign what they get.
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import t from 'tap';
import { TEST_EVENT } from '../../control-plane/builds/domain/event.js';
import { testPayload } from '../../control-plane/builds/domain/event-payload.js';
import { postWebhook } from '../../control-plane/events/app/webhook-post.js';
import { bodyFor } from '../../control-plane/events/domain/chat-message.js';
import { newSigningSecret, signatureOf } from '../../control-plane/platform/domain/webhook-signature.js';
import { parseAllowedReceivers } from '../../control-plane/platform/outbound/allowed-receivers.js';
import { createPublicFetch } from '../../control-plane/platform/outbound/public-fetch.js';
import { systemClock } from '../../shared/clock.js';
import { certificate, key } from '../harness/certificate.js';
import { listening } from '../harness/listening.js';

t.test('a Slack address hears of the test that registers it', async (t) => {
  const got: { path: string | undefined; headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer({ key, cert: certificate }, async (request, reply) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    got.push({ path: request.url, headers: request.headers, text });
    reply.end('ok');
  });
  const port = await listening(t, server);
  const publicFetch = createPublicFetch({
    rules: { allowLoopback: false, allowed: parseAllowedReceivers(['127.0.0.1']) },
    resolve: async (host) => (host === 'hooks.slack.com' ? ['127.0.0.1'] : []),
    timeoutMs: 5_000,
    bodyBytes: 4096,
    ca: certificate,
  });
  t.teardown(() => publicFetch.close());
  const url = `https://hooks.slack.com:${port}/services/T0/B0/x`;
  t.equal(await publicFetch.problem(url), null);
  const secret = newSigningSecret();
  const payload = JSON.stringify(testPayload('evt_1', Date.now()));
  const post = {
    url,
    eventType: TEST_EVENT,
    eventId: 'evt_1',
    deliveryId: 'dl_1',
    body: bodyFor(url, payload),
  };
  const { answer, request, response } = await postWebhook({ clock: systemClock, publicFetch }, post, {
    current: secret,
    previous: null,
  });
  t.match(answer, { kind: 'answered', status: 200 });
  t.equal(response?.body, 'ok');
  const [one] = got;
  t.equal(one?.path, '/services/T0/B0/x');
  t.match(JSON.parse(one?.text ?? ''), { text: /test/ });
  t.equal(request?.body, one?.text, 'what is shown is what was sent');
  t.match(one?.headers, {
    host: `hooks.slack.com:${port}`,
    'content-type': 'application/json',
    'x-svc-event': 'webhook.test',
    'x-svc-event-id': 'evt_1',
    'x-svc-delivery': 'dl_1',
    'x-svc-signature': signatureOf(secret, Number(one?.headers['x-svc-timestamp']), one?.text ?? ''),
  });
});
