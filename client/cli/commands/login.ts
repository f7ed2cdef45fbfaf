import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { printedJson } from '../../../shared/clean-text.js';
import { buildClient } from '../../build-client.js';
import type { CliContext } from '../context.js';
import { createNodeFetch } from '../node-fetch.js';
import type { GlobalOptions } from '../options.js';
import { contextOf } from '../program.js';
import { ask, askHidden, readStandardInput } from '../prompt.js';
import { wireFor } from '../session.js';
import { configFile, type Service } from '../settings.js';
import { printable } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { utf8Input } from '../utf8-input.js';

/** `cidermill login` */
export function loginCommand(): Command {
  return new Command('login')
    .description("store a service's address and key for this account, once the service accepts them")
    .addHelpText('after', '\nWithout --key the command asks for the key, or reads it from standard input.')
    .action(async (_options: unknown, command: Command) => {
      const { json, ...flags } = command.optsWithGlobals<GlobalOptions>();
      const context = contextOf(command);
      const service = await wantedService(context, flags);
      const network = createNodeFetch(context.env);
      try {
        const client = buildClient(wireFor(service, network));
        const me = await client.me();
        const file = configFile(context.env);
        store(file, { url: client.baseUrl, key: service.key });
        const name = me.account.name ?? me.account.slug ?? String(me.account.id);
        const levels = me.key.levels.map((level) => printable(level)).join(', ');
        const text = `logged in to ${client.baseUrl} as ${printable(name)} with key ${printable(me.key.name)} (${levels})\n`;
        const answer = { url: client.baseUrl, config: file, account: me.account, scopes: me.scopes };
        context.stdout.write(json ? `${printedJson(answer, 2)}\n` : text);
      } finally {
        network.close();
      }
    });
}

async function wantedService(context: CliContext, flags: GlobalOptions): Promise<Service> {
  const { stdin, env } = context;
  const url =
    flags.url ||
    env.CIDERMILL_URL ||
    (stdin.isTTY ? (await ask(context, 'Address of the service (base_url): ')).trim() : '');
  if (!url) throw new UsageError("give the service's address with --url");
  const given = flags.key || env.CIDERMILL_API_KEY;
  const key =
    given ||
    (stdin.isTTY
      ? await askHidden(context, 'API key: ')
      : utf8Input(await readStandardInput(context), 'standard input').trim());
  if (!key) throw new UsageError('give an API key');
  return { url, key };
}

/** Readable by its owner alone from its first byte on. */
function store(file: string, service: Service): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${JSON.stringify(service, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}
