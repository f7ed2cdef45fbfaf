import { Command } from 'commander';
import { withSession } from '../session.js';

/** `cidermill mcp` */
export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve the tools of this account to an AI agent, on standard input and output')
    .option('--read-only', 'offer only tools that change nothing')
    .addHelpText('after', NOTES)
    .action((options: { readOnly?: boolean }, command: Command) =>
      withSession(command.optsWithGlobals(), async (session) => {
        const { serveMcp } = await import('../../mcp/serve.js');
        await serveMcp(session, { readOnly: options.readOnly === true });
      }),
    );
}

const NOTES = `
Speaks the Model Context Protocol; an agent's program starts it, for example:
  claude mcp add cidermill -- cidermill mcp
Build folders and artifacts are files of this machine. Nothing is ever paid: order answers a link for a person.`;
