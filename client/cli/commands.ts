// The commands by name. Each is a file that is loaded only when needed.
import { Command } from 'commander';
import { programs } from './programs.js';

interface Entry {
  load(): Promise<Command>;
}

/** In the order in which help lists them. */
export const commands: Record<string, Entry> = {
  login: { load: async () => (await import('./commands/login.js')).loginCommand() },
  build: { load: async () => (await import('./commands/build.js')).buildCommand() },
  builds: { load: async () => (await import('./commands/builds.js')).buildsCommand() },
  logs: { load: async () => (await import('./commands/logs.js')).logsCommand() },
  wait: { load: async () => (await import('./commands/wait.js')).waitCommand() },
  failure: { load: async () => (await import('./commands/failure.js')).failureCommand() },
  artifacts: { load: async () => (await import('./commands/artifacts.js')).artifactsCommand() },
  rerun: { load: async () => (await import('./commands/rerun.js')).rerunCommand() },
  cancel: { load: async () => (await import('./commands/cancel.js')).cancelCommand() },
  priority: { load: async () => (await import('./commands/priority.js')).priorityCommand() },
  queue: { load: async () => (await import('./commands/queue.js')).queueCommand() },
  status: { load: async () => (await import('./commands/status.js')).statusCommand() },
  catalog: { load: async () => (await import('./commands/catalog.js')).catalogCommand() },
  rent: { load: async () => (await import('./commands/rent.js')).rentCommand() },
  orders: { load: async () => (await import('./commands/orders.js')).ordersCommand() },
  'pay-status': { load: async () => (await import('./commands/pay-status.js')).payStatusCommand() },
  macs: { load: async () => (await import('./commands/macs.js')).macsCommand() },
  rename: { load: async () => (await import('./commands/rename.js')).renameCommand() },
  extend: { load: async () => (await import('./commands/extend.js')).extendCommand() },
  reset: { load: async () => (await import('./commands/reset.js')).resetCommand() },
  xcode: { load: async () => (await import('./commands/xcode.js')).xcodeCommand() },
  setup: { load: async () => (await import('./commands/setup.js')).setupCommand() },
  jobs: { load: async () => (await import('./commands/jobs.js')).jobsCommand() },
  waitlist: { load: async () => (await import('./commands/waitlist.js')).waitlistCommand() },
  webhooks: { load: async () => (await import('./commands/webhooks.js')).webhooksCommand() },
  secrets: { load: async () => (await import('./commands/secrets.js')).secretsCommand() },
  errors: { load: async () => (await import('./commands/errors.js')).errorsCommand() },
  upload: { load: async () => (await import('./commands/upload.js')).uploadCommand() },
  files: { load: async () => (await import('./commands/files.js')).filesCommand() },
  mcp: { load: async () => (await import('./commands/mcp.js')).mcpCommand() },
  completion: { load: async () => (await import('./commands/completion.js')).completionCommand() },
};

/** Loads every command, for what needs them all: help, completion, a name that does not exist. */
export async function loadAll(): Promise<Command[]> {
  const loaded = await Promise.all(Object.values(commands).map((entry) => entry.load()));
  const others = Object.entries(programs).map(([name, { description }]) =>
    new Command(name).description(description).argument('[args...]'),
  );
  return [...loaded, ...others];
}
