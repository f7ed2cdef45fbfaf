// Requests of a malicious host below /link/v1.
import { connect as connectSocket } from 'node:net';
import type { MaliciousHost } from '../harness/malicious-host.js';
import { HASH } from './hostile-messages.js';

export type BodyInit = NonNullable<RequestInit['body']>;

export const put = (m: MaliciousHost, build: string, name: string, body: BodyInit, more: Record<string, string> = {}) =>
  m.request(`/builds/${build}/1/artifacts?name=${encoded(name)}`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/octet-stream', 'x-sha256': HASH, ...more },
  });

/** Lone surrogates cannot be encoded in UTF-8. */
export const encoded = (name: string) => encodeURIComponent(name.replace(/[\ud800-\udfff]/g, ''));

export const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
export const octets = (body: BodyInit): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/octet-stream' },
  body,
});

/** Announces more bytes than it sends, then disconnects. */
export async function brokenPut(m: MaliciousHost, build: string, announced: string, sent: string): Promise<void> {
  const socket = connectSocket(m.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `PUT /link/v1/builds/${build}/1/artifacts?name=broken HTTP/1.1\r\nHost: x\r\nx-sha256: ${HASH}\r\n` +
      `Authorization: Bearer ${m.evil.credential}\r\nContent-Type: application/octet-stream\r\n` +
      `Content-Length: ${announced}\r\n\r\n${sent}`,
  );
  socket.end();
  await new Promise((resolve) => socket.resume().once('close', resolve));
}
