// What a client breaks is never the platform's fault: connections that end early, bodies that are not HTTP.
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { startHarness } from '../harness/harness.js';

async function start(t: Test) {
  const service = await startHarness(t);
  const port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port);
  const answered = () => new Promise<void>((resolve) => void service.server.server.once('request', () => resolve()));
  return {
    ...service,
    /** Sends the text, then ends as `end` says; what was answered, '' for nothing. */
    raw(text: string, end: 'wait' | 'hang-up' = 'wait') {
      const begun = answered();
      return new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk;
        });
        socket.on('close', () => resolve(answer));
        socket.on('error', () => resolve(answer));
        socket.write(text);
        if (end === 'hang-up') void begun.then(() => socket.destroy());
      });
    },
    head: (method: string, path: string, headers: string) =>
      `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.keys.all}\r\nservice-error-format: 2\r\n` +
      `connection: close\r\n${headers}\r\n\r\n`,
  };
}

const JSON_TYPE = 'content-type: application/json';
const GZIP_TYPE = 'content-type: application/gzip';

t.test('a client that hangs up or sends broken chunks is recorded as the client, if at all', async (t) => {
  const { raw, head, call, apiErrors, org } = await start(t);
  const put = (headers: string) => head('PUT', '/api/v1/secrets/A', `${JSON_TYPE}\r\n${headers}`);
  const upload = (headers: string) => head('POST', '/api/v1/uploads', `${GZIP_TYPE}\r\n${headers}`);
  const tar = (headers: string) => head('POST', '/api/v1/uploads/tar', `${GZIP_TYPE}\r\n${headers}`);
  const cases: [string, string, 'wait' | 'hang-up'][] = [];
  for (const [name, of] of Object.entries({ put, upload, tar })) {
    cases.push([`${name}: hangs up within its length`, `${of('content-length: 100')}{"va`, 'hang-up']);
    cases.push([`${name}: hangs up within a chunk`, `${of('transfer-encoding: chunked')}20\r\n{"va`, 'hang-up']);
    cases.push([`${name}: a chunk size that is none`, `${of('transfer-encoding: chunked')}zz\r\n{}\r\n`, 'wait']);
    cases.push([
      `${name}: a second chunk size that is none`,
      `${of('transfer-encoding: chunked')}2\r\n{}\r\nzz\r\n`,
      'wait',
    ]);
    cases.push([`${name}: no length that is one`, `${of('content-length: ten')}{}`, 'wait']);
    cases.push([`${name}: two lengths`, `${of('content-length: 2\r\ncontent-length: 3')}{}`, 'wait']);
    cases.push([`${name}: headers without end`, of(`x-long: ${'x'.repeat(100_000)}`), 'wait']);
  }
  for (const [about, text, end] of cases) {
    // A connection that is refused before it has become a request is closed at once.
    const answer = await raw(text, end);
    t.notMatch(answer, /internal_error|HTTP\/1.1 5/, about);
  }
  await apiErrors.list(
    { accountId: org.id, workspaceIds: null },
    {
      fault: null,
      code: null,
      kind: null,
      since: null,
      keyId: null,
      before: null,
      limit: 1,
    },
  );
  const { errors } = (await call('GET', '/errors?limit=200')).json();
  t.ok(errors.length > 0, 'some have become requests, and are listed');
  for (const { code, fault, http_status, path } of errors) {
    t.equal(fault, 'client', `${path} ${code}`);
    t.ok(http_status < 500, `${path} ${code} ${http_status}`);
  }
  t.same((await call('GET', '/errors?fault=platform')).json().errors, []);
});
