import { Command } from 'commander';
import type { FileFilter, WorkspaceFile } from '../../types.js';
import { EXIT_OTHER } from '../exit-codes.js';
import { formatBytes, formatTable, formatTime } from '../format.js';
import { type Session, withSession } from '../session.js';
import { printable } from '../terminal.js';
import { UsageError } from '../usage-error.js';

const LARGEST_PAGE = 100;

interface ListOptions {
  uploads?: boolean;
  artifacts?: boolean;
  build?: string;
}

/** `cidermill files [list|rm]` */
export function filesCommand(): Command {
  return new Command('files')
    .description('list uploads and artifacts of the workspace, or delete them')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(removeCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list files, newest first')
    .option('--uploads', 'only uploaded folders')
    .option('--artifacts', 'only artifacts of builds')
    .option('--build <build>', 'only files of this build (rb_…)')
    .action((options: ListOptions, command: Command) => {
      const filter = filterOf(options);
      return withSession(command, async (session) => {
        const { files, totalBytes } = await readAll(session, filter);
        session.answer({ files, total_bytes: totalBytes }, () => filesTable(files, totalBytes));
      });
    });
}

function removeCommand(): Command {
  return new Command('rm')
    .description('delete uploads and artifacts')
    .argument('<files...>', 'ids of files, see cidermill files list')
    .action((ids: string[], _options: unknown, command: Command) =>
      withSession(command, async (session) => {
        const deleted: string[] = [];
        for (const id of ids) {
          try {
            await session.client.files.delete(id);
            deleted.push(id);
          } catch (error) {
            // The others are deleted all the same.
            session.note(`warning: ${printable(id)} was not deleted: ${messageOf(error)}`);
            session.context.exitCode = EXIT_OTHER;
          }
        }
        session.answer({ deleted }, () => deleted.map((id) => `${id} deleted\n`).join(''));
      }),
    );
}

const messageOf = (error: unknown) => printable(error instanceof Error ? error.message : String(error));

/** @throws UsageError for options that do not go together */
function filterOf({ uploads, artifacts, build }: ListOptions): FileFilter {
  if (uploads && artifacts) throw new UsageError('give one of --uploads and --artifacts');
  const kind = uploads ? 'upload' : artifacts ? 'artifact' : undefined;
  return {
    limit: LARGEST_PAGE,
    ...(kind === undefined ? {} : { kind }),
    ...(build === undefined ? {} : { job_id: build }),
  };
}

async function readAll({ client }: Session, filter: FileFilter) {
  const files: WorkspaceFile[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.files.list(cursor === undefined ? filter : { ...filter, cursor });
    files.push(...page.data);
    if (page.next_cursor === null) return { files, totalBytes: page.total_bytes };
    cursor = page.next_cursor;
  }
}

function filesTable(files: readonly WorkspaceFile[], totalBytes: number): string {
  if (files.length === 0) return 'no files\n';
  const rows = files.map((file) => [
    file.id,
    file.kind,
    formatBytes(file.bytes),
    formatTime(file.created_at),
    file.in_use ? 'in use' : file.expires_at ? formatTime(file.expires_at) : '-',
    file.job_id ?? '',
    printable(file.path ?? file.name),
  ]);
  const table = formatTable(['FILE', 'KIND', 'SIZE', 'CREATED', 'KEPT UNTIL', 'BUILD', 'NAME'], rows);
  return `${table}${formatBytes(totalBytes)} in the workspace\n`;
}
