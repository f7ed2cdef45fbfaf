import { Command } from 'commander';
import type { Connection } from '../../mcp/serve.js';
import { ownVersion } from '../own-version.js';
import { contextOf } from '../program.js';
import { openSession } from '../session.js';
import { UsageError } from '../usage-error.js';

/** `cidermill mcp` */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('run an MCP server for AI agents on standard input and output')
    .option('--read-only', 'offer only tools that change nothing')
    .addHelpText('after', NOTES)
    .action(async (options: { readOnly?: boolean }, command: Command) => {
      const { serveMcp } = await import('../../mcp/serve.js');
      await serveMcp(() => connection(command), {
        readOnly: options.readOnly === true,
        version: await ownVersion(),
      });
    });
}

/** The session, or why none can be opened. */
function connection(command: Command): Connection | string {
  const context = contextOf(command);
  try {
    return { ...openSession(context, command.optsWithGlobals()), env: context.env };
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

const NOTES = `
Speaks the Model Context Protocol; an agent's program starts it, for example:
  claude mcp add cidermill -- cidermill mcp
Folders and artifacts are on this machine. The server never pays: orders return a link for a person.`;
