import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { isText } from '../../api/secrets.js';
import type { CliContext } from '../context.js';
import { formatTable, formatTime } from '../format.js';
import { askHidden, readStandardInput } from '../prompt.js';
import { secretWarningOf } from '../said.js';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';
import { UsageError } from '../usage-error.js';
import { wholeText } from '../utf8-input.js';

/** `cidermill secrets set|list|rm` */
export function secretsCommand(): Command {
  return new Command('secrets')
    .description('manage secrets: environment variables of builds, and files, masked in logs')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

function setCommand(): Command {
  return new Command('set')
    .description('store a secret; without a value it is read from standard input')
    .argument('<name>', 'upper-case letters, digits, underscore')
    .argument('[value]', 'the value; other users of this machine can see it while the command runs')
    .option('--file <file>', 'read the value from a file, byte for byte; bytes that are not text are a file in builds')
    .action((name: string, given: string | undefined, options: { file?: string }, command: Command) =>
      withSession(command, async ({ client, context, answer, note, style }) => {
        const value = await secretValue(context, name, given, options.file);
        const secret = await client.secrets.set(name, value);
        if (secret.masked === false) {
          const warning = secretWarningOf(secret) ?? 'the value is too short to be masked';
          note(`${style.err.yellow('warning:')} ${printable(warning)}`);
        }
        const isFile = secret.kind === 'file';
        answer(
          secret,
          () => `${secret.name} stored${isFile ? `: a file, whose path builds have in ${secret.name}` : ''}\n`,
        );
      }),
    );
}

async function secretValue(
  context: CliContext,
  name: string,
  given: string | undefined,
  file: string | undefined,
): Promise<string | Buffer> {
  if (given !== undefined && file !== undefined) throw new UsageError('give a value or --file, not both');
  if (given !== undefined) return wholeText(given, 'the value', 'use --file or standard input');
  if (file === '') throw new UsageError('--file needs the path of a file');
  if (file !== undefined) {
    try {
      return readFileSync(resolve(context.cwd(), file));
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : `cannot read ${file}`);
    }
  }
  if (context.stdin.isTTY) {
    return wholeText(await askHidden(context, `Value of ${name}: `), 'the value', 'use --file');
  }
  const bytes = await readStandardInput(context);
  // `echo value | …` appends a line break that is not part of the value.
  return isText(bytes) ? bytes.toString().replace(/\r?\n$/, '') : bytes;
}

function listCommand(): Command {
  return new Command('list').description('list the names of secrets').action((_options: unknown, command: Command) =>
    withSession(command, async ({ client, answer }) => {
      answer(await client.secrets.list(), ({ secrets }) => {
        if (secrets.length === 0) return 'no secrets\n';
        return formatTable(
          ['NAME', 'CHANGED', ''],
          secrets.map(({ name, updated_at, readable, kind }) => [
            name,
            formatTime(updated_at),
            !readable ? 'cannot be decrypted: set it again or remove it' : kind === 'file' ? 'a file' : '',
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
