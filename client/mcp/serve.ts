// `cidermill mcp`: the server on standard input and output, until the client closes them.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildClient } from '../build-client.js';
import { ownVersion } from '../cli/own-version.js';
import { passesSoon } from '../cli/renting-session.js';
import type { Session } from '../cli/session.js';
import { rentingClient } from '../renting-client.js';
import { createLogLines } from './log-lines.js';
import { createMcpServer } from './server.js';

/** Resolves when the client has gone. Standard output carries the protocol and nothing else. */
export async function serveMcp(session: Session, { readOnly }: { readOnly: boolean }): Promise<void> {
  const { wire, clock, env } = session;
  // What stays as it is for a while is the agent's decision, not ours to sit out.
  const patient = { ...wire, retry: { ...wire.retry, repeats: passesSoon } };
  const client = { ...buildClient(patient, promisify(gzip)), ...rentingClient(patient) };
  const deps = { client, logs: createLogLines(client.builds.log), clock, env };
  const version = await ownVersion();
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const handle = serveStdio(() => createMcpServer(deps, { version, readOnly }), {
    onerror: (error) => session.note(`mcp: ${error.message}`),
  });
  await gone;
  await handle.close();
}
