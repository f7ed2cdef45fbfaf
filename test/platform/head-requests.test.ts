import { Readable } from 'node:stream';
import Fastify from 'fastify';
import t from 'tap';
import { answerHead, routeHeadAsGet } from '../../control-plane/platform/http/head-requests.js';

t.test('HEAD is answered by the route of GET, without its content', async (t) => {
  const server = Fastify({ exposeHeadRoutes: false, rewriteUrl: routeHeadAsGet });
  t.teardown(() => server.close());
  answerHead(server);
  const methods: string[] = [];
  server.addHook('onRequest', (request, _reply, done) => {
    methods.push(request.method);
    done();
  });
  let read = 0;
  const large = () =>
    new Readable({
      read() {
        read++;
        this.push(Buffer.alloc(65_536));
      },
    });
  let closed = 0;
  server.get('/file', async (request, reply) => {
    methods.push(request.method);
    const stream = large().once('close', () => closed++);
    return reply.header('content-length', 1e12).type('application/gzip').send(stream);
  });
  server.get('/text', async (_request, reply) => reply.header('etag', '"1"').send('text'));
  server.post('/only', async () => 'posted');

  const file = await server.inject({ method: 'HEAD', url: '/file?a=1' });
  t.match(file, { statusCode: 200, body: '', headers: { 'content-length': '1000000000000' } });
  t.same(methods.splice(0), ['HEAD', 'HEAD'], 'hooks and handlers see HEAD');
  t.ok(read <= 1, `the file is not read (${read} times)`);
  t.equal(closed, 1, 'and it is closed');
  const text = await server.inject({ method: 'HEAD', url: '/text' });
  t.match(text, { statusCode: 200, body: '', headers: { etag: '"1"' } });
  t.equal(text.headers['content-length'], undefined, 'GET may be compressed');
  t.match(await server.inject('/text'), { statusCode: 200, body: 'text' });
  for (const url of ['/only', '/none']) {
    t.match(await server.inject({ method: 'HEAD', url }), { statusCode: 404, body: '' });
  }
  t.match(await server.inject({ method: 'POST', url: '/only' }), { statusCode: 200, body: 'posted' });
});
