// Requests to the servers of the operator's configuration.
import t from 'tap';
import { askServer } from '../../control-plane/platform/outbound/configured-server.js';
import { INTERIM, speaking } from '../harness/interim-answers.js';

const ask = (url: string, timeoutMs = 5_000) => {
  const signal = AbortSignal.timeout(timeoutMs);
  return askServer(url, { method: 'POST', headers: {}, body: '{}', signal, longestAnswer: 8 });
};
const answer = (body: string) => `HTTP/1.1 201 Created\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

t.test('interim answers come before the answer and are not taken for it', async (t) => {
  for (const interim of [...Object.values(INTERIM), Object.values(INTERIM).join('')]) {
    const { url } = await speaking(t, (socket) => void socket.write(interim + answer('ok')));
    t.match(await ask(url), { status: 201, text: 'ok' }, JSON.stringify(interim));
  }
  const flood = await speaking(t, (socket) => void socket.write(INTERIM[103].repeat(65)));
  await t.rejects(ask(flood.url), /too many interim answers/);
  const silent = await speaking(t, (socket) => void socket.write(INTERIM[100]));
  await t.rejects(ask(silent.url, 300), { name: 'AbortError' });
  const other = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
  const switched = await speaking(t, (socket) => void socket.write(other));
  await t.rejects(ask(switched.url), /no answer/);
});

t.test('an answer is cut off, has to be whole, and leads nowhere', async (t) => {
  const long = await speaking(t, (socket) => void socket.write(answer('x'.repeat(100))));
  t.match(await ask(long.url), { status: 201, text: 'x'.repeat(8) });
  const torn = await speaking(t, (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nx'));
  await t.rejects(ask(torn.url), /aborted/);
  const moved = 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n';
  const redirecting = await speaking(t, (socket) => void socket.write(moved));
  t.match(await ask(redirecting.url), { status: 302, headers: { location: 'http://127.0.0.1:1/' } });
});
