// The command line's own network.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import t from 'tap';
import { createNodeFetch } from '../../client/cli/node-fetch.js';

t.test(
  'a connection that was opened ahead is the one that a request uses, also while https is loaded',
  async (t) => {
    for (const scheme of ['http', 'https']) {
      const connections: Socket[] = [];
      const server = createServer((socket) => {
        connections.push(socket);
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('this is no answer'));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const network = createNodeFetch();
      t.teardown(() => {
        network.close();
        server.close();
      });
      const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
      void network.connectAhead(url);
      await t.rejects(network.fetch(url, { method: 'GET', headers: {} }));
      t.equal(connections.length, 1, scheme);
    }
  },
);
