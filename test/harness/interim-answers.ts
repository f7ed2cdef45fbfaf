// Interim answers as servers send them, and servers that send them before the answer.
import { createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { listening } from './listening.js';

export const INTERIM = {
  100: 'HTTP/1.1 100 Continue\r\n\r\n',
  102: 'HTTP/1.1 102 Processing\r\n\r\n',
  103: 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n',
};

/** A server over plain TCP that calls `talk` after each whole request, whose body is `{}`. */
export async function speaking(t: Test, talk: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (text) => String(text).endsWith('{}') && talk(socket));
  });
  const port = await listening(t, server);
  return { url: `http://127.0.0.1:${port}/`, sockets };
}
