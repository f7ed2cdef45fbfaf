// A key that was pasted where it does not belong is shown to nobody: neither listed nor logged.
import t from 'tap';
import { createLog } from '../../shared/log.js';
import { redact } from '../../shared/redact.js';
import { startHarness } from '../harness/harness.js';

t.test(
  'a key in an address, a field, a query or a request id is not in the list of errors nor in the log',
  async (t) => {
    const lines: string[] = [];
    const service = await startHarness(t, { log: (line) => lines.push(line) });
    const { call, keys } = service;
    const key = keys.manage;
    const send = async (method: string, path: string, options: Parameters<typeof call>[2] = {}) => {
      const answer = await call(method, path, options);
      t.ok(answer.statusCode >= 400, `${method} ${answer.statusCode}`);
    };
    await send('GET', `/builds/${key}`);
    await send('GET', `/builds/Bearer%20${key}/log`);
    await send('GET', `/${key}`);
    await send('GET', `/builds/${key.replace('_', '%5F')}`);
    await send('DELETE', `/secrets/${key.slice(0, 20)}`);
    await send('GET', `/builds?${key}=1`);
    await send('POST', '/quote', { body: { [key]: 1 } });
    await send('POST', '/quote', { body: { tier: key, hours: 24 } });
    await send('GET', '/builds/rb_1', { headers: { 'x-request-id': key } });
    await send('GET', `/builds/${key.replace('cm_', 'mk_')}`);
    const listed = JSON.stringify((await call('GET', '/errors', { key: keys.read })).json());
    const random = key.slice(3, 15);
    t.notMatch(listed, random);
    t.match(listed, /cm_\*\*\*/, 'one sees that there was a key');
    t.match(listed, /mk_\*\*\*/);
    t.ok(lines.length > 0);
    t.notMatch(lines.join(''), random);
  },
);

t.test('the log of a process holds no key, wherever in a line it is', async (t) => {
  let written = '';
  const log = createLog('test', 'info', {
    write(line: string) {
      written += line;
    },
  });
  const key = `cm_${'a1'.repeat(18)}`;
  log.error({ err: new Error(`cannot open https://user:hunter22@host/${key}`), path: `/x/${key}` }, `about ${key}`);
  log.info({ url: '/api/runner/v1/downloads/abcdefg.hijk?x=1' }, 'whsec_abcdefghijklmnop');
  t.notMatch(written, /a1a1|hunter22|abcdefg/);
  const [first] = written.split('\n');
  t.match(JSON.parse(first ?? ''), { msg: 'about cm_***', path: '/x/cm_***' }, 'and it is still JSON');
});

t.test('text that is no credential stays', async (t) => {
  for (const text of [
    '/api/v1/builds/rb_12345678',
    'cm_ and mk_',
    'http://host:8460/path@x',
    'mail a@b.c',
    'CM_TOKEN_NAME',
  ]) {
    t.equal(redact(text), text);
  }
});
