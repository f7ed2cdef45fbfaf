// `cidermill mcp`: the server on standard input and output, until the client closes them.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildClient } from '../build-client.js';
import { ownVersion } from '../cli/own-version.js';
import { passesSoon } from '../cli/renting-session.js';
import type { Session } from '../cli/session.js';
import { UsageError } from '../cli/usage-error.js';
import { rentingClient } from '../renting-client.js';
import { createLogLines } from './log-lines.js';
import { createMcpServer } from './server.js';
import type { ToolDeps } from './tool.js';
import { NotConfigured } from './tool-error.js';

/**
 * Resolves when the client has disconnected. Standard output carries only the protocol.
 *
 * Without a configured service it starts too, and every call answers what is missing: clients show their user
 * an answer, but not why a server did not start. Each call looks again, so that `cidermill login` is enough.
 *
 * @param openSession throws UsageError when no service is configured
 */
export async function serveMcp(
  openSession: () => Session,
  { readOnly }: { readOnly: boolean },
): Promise<void> {
  let session: Session | null = null;
  let deps: ToolDeps | null = null;
  const open = (): ToolDeps => {
    if (deps) return deps;
    try {
      session = openSession();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new NotConfigured(error.message);
    }
    deps = depsOf(session);
    return deps;
  };
  const note = (text: string) => void process.stderr.write(`mcp: ${text}\n`);
  try {
    open();
  } catch (error) {
    if (!(error instanceof NotConfigured)) throw error;
    note(error.message);
  }
  const version = await ownVersion();
  const gone = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const handle = serveStdio(() => createMcpServer(open, { version, readOnly }), {
    onerror: (error) => note(error.message),
  });
  await gone;
  await handle.close();
  closeSession(session);
}

/** Takes the session as an argument, because the compiler does not see that `open` sets it. */
const closeSession = (session: Session | null) => session?.close();

function depsOf({ wire, clock, env }: Session): ToolDeps {
  // A longer retry delay is returned to the agent, which decides whether to wait.
  const patient = { ...wire, retry: { ...wire.retry, repeats: passesSoon } };
  const client = { ...buildClient(patient, promisify(gzip)), ...rentingClient(patient) };
  return { client, logs: createLogLines(client.builds.log), clock, env };
}
