import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { CliContext } from '../context.js';
import { formatTable, formatTime } from '../format.js';
import { askHidden, readStandardInput } from '../prompt.js';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';
import { UsageError } from '../usage-error.js';

/** `cidermill secrets set|list|rm` */
export function secretsCommand(): Command {
  return new Command('secrets')
    .description('manage secrets: environment variables of builds, masked in logs')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('store a secret; without a value it is read from standard input')
    .argument('<name>', 'upper-case letters, digits, underscore')
    .argument('[value]', 'the value; others on this machine can see it while the command runs')
    .option('--file <file>', 'read the value from a file, byte for byte')
    .action((name: string, given: string | undefined, options: { file?: string }, command: Command) =>
      withSession(command, async ({ client, context, answer, note, style }) => {
        const value = await secretValue(context, name, given, options.file);
        const secret = await client.secrets.set(name, value);
        if (secret.masked === false) {
          note(
            `${style.err.yellow('warning:')} ${printable(secret.warning ?? 'the value is too short to be masked')}`,
          );
        }
        answer(secret, () => `${secret.name} stored\n`);
      }),
    );
}

async function secretValue(
  context: CliContext,
  name: string,
  given: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (given !== undefined && file !== undefined) throw new UsageError('give a value or --file, not both');
  if (given !== undefined) return given;
  if (file !== undefined) {
    try {
      return readFileSync(resolve(context.cwd(), file), 'utf8');
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : `cannot read ${file}`);
    }
  }
  if (context.stdin.isTTY) return askHidden(context, `Value of ${name}: `);
  // `echo value | …` appends a line break that is not part of the value.
  return (await readStandardInput(context)).replace(/\r?\n$/, '');
}

function listCommand(): Command {
  return new Command('list')
    .description('list the names of secrets')
    .action((_options: unknown, command: Command) =>
      withSession(command, async ({ client, answer }) => {
        answer(await client.secrets.list(), ({ secrets }) => {
          if (secrets.length === 0) return 'no secrets\n';
          return formatTable(
            ['NAME', 'CHANGED', ''],
            secrets.map(({ name, updated_at, readable }) => [
              name,
              formatTime(updated_at),
              readable ? '' : 'cannot be opened: set it again or remove it',
            ]),
          );
        });
      }),
    );
}

function removeCommand(): Command {
  return new Command('rm')
    .description('delete a secret')
    .argument('<name>')
    .action((name: string, _options: unknown, command: Command) =>
      withSession(command, async ({ client, answer }) => {
        answer(await client.secrets.delete(name), () => `${printable(name)} deleted\n`);
      }),
    );
}
