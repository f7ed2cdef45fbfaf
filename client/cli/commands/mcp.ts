import { Command } from 'commander';
import { openSession } from '../session.js';

/** `cidermill mcp` */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('run an MCP server for AI agents on standard input and output')
    .option('--read-only', 'offer only tools that change nothing')
    .addHelpText('after', NOTES)
    .action(async (options: { readOnly?: boolean }, command: Command) => {
      const { serveMcp } = await import('../../mcp/serve.js');
      const readOnly = options.readOnly === true;
      await serveMcp(() => openSession(command.optsWithGlobals()), { readOnly });
    });
}

const NOTES = `
Speaks the Model Context Protocol; an agent's program starts it, for example:
  claude mcp add cidermill -- cidermill mcp
Folders and artifacts are on this machine. The server never pays: orders return a link for a person.`;
