// The command line's own network.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';

t.test('a connection that was opened ahead is the one that a request uses, also while https is loaded', async (t) => {
  for (const scheme of ['http', 'https']) {
    const connections: Socket[] = [];
    const server = createServer((socket) => {
      connections.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('this is no answer'));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const network = createNodeFetch(process.env);
    t.teardown(() => {
      network.close();
      server.close();
    });
    const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    void network.connectAhead(url);
    await t.rejects(network.fetch(url, { method: 'GET', headers: {} }));
    t.equal(connections.length, 1, scheme);
  }
});

t.test('the body of a request that is aborted is closed, and with it the file that it reads', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const network = createNodeFetch(process.env);
  t.teardown(() => {
    network.close();
    server.close();
  });
  const over = new AbortController();
  const closed = new Promise<void>((resolve) => {
    async function* body() {
      try {
        yield Buffer.from('first');
        // The request dies while the next piece is being read.
        over.abort(new Error('enough'));
        await new Promise(setImmediate);
        yield Buffer.alloc(1024 * 1024);
        yield Buffer.from('never asked for');
      } finally {
        resolve();
      }
    }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sent = network.fetch(url, { method: 'POST', headers: {}, body: body(), signal: over.signal });
    void t.rejects(sent);
  });
  await closed;
  t.pass('the body was left');
});
