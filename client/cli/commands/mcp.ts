import { Command } from 'commander';
import { openSession } from '../session.js';

/** `cidermill mcp` */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve the tools of this account to an AI agent, on standard input and output')
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
Build folders and artifacts are files of this machine. Nothing is ever paid: order answers a link for a person.`;
