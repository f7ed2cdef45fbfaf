// `cidermill mcp`: the server on standard input and output, until the client closes them.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../../shared/clock.js';
import { buildClient } from '../build-client.js';
import type { Wire } from '../http/exchange.js';
import { passesSoon } from '../http/retry.js';
import { rentingClient } from '../renting-client.js';
import { createLogLines } from './log-lines.js';
import { createMcpServer } from './server.js';
import type { ToolDeps } from './tool.js';
import { NotConfigured } from './tool-error.js';

/** The service that the tools use. */
export interface Connection {
  wire: Wire;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  close(): void;
}

export interface McpOptions {
  /** Offer only tools that change nothing. */
  readOnly: boolean;
  /** Of this package. */
  version: string;
}

/**
 * Resolves when the client has disconnected. Standard output carries only the protocol.
 *
 * Without a configured service it starts too, and every call answers what is missing: clients show their user
 * an answer, but not why a server did not start. Each call looks again, so that `cidermill login` is enough.
 *
 * @param connect returns the connection, or says in a sentence why no service is configured
 */
export async function serveMcp(connect: () => Connection | string, { readOnly, version }: McpOptions): Promise<void> {
  let connection: Connection | null = null;
  let deps: ToolDeps | null = null;
  const open = (): ToolDeps => {
    if (deps) return deps;
    const connected = connect();
    if (typeof connected === 'string') throw new NotConfigured(connected);
    connection = connected;
    deps = depsOf(connected);
    return deps;
  };
  const note = (text: string) => void process.stderr.write(`mcp: ${text}\n`);
  try {
    open();
  } catch (error) {
    if (!(error instanceof NotConfigured)) throw error;
    note(error.message);
  }
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const handle = serveStdio(() => createMcpServer(open, { version, readOnly }), {
    onerror: (error) => note(error.message),
  });
  await gone;
  await handle.close();
  closeConnection(connection);
}

/** Takes the connection as an argument, because the compiler does not see that `open` sets it. */
const closeConnection = (connection: Connection | null) => connection?.close();

function depsOf({ wire, clock, env }: Connection): ToolDeps {
  // A longer retry delay is returned to the agent, which decides whether to wait.
  const patient = { ...wire, retry: { ...wire.retry, repeats: passesSoon } };
  const client = { ...buildClient(patient, promisify(gzip)), ...rentingClient(patient) };
  return { client, logs: createLogLines(client.builds.log), clock, env };
}
