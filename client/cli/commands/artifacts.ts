import { Command } from 'commander';
import type { WorkspaceFile } from '../../types.js';
import { downloadArtifacts, listArtifacts, targetFolder } from '../build-artifacts.js';
import { EXIT_OTHER } from '../exit-codes.js';
import { formatBytes, formatTable, formatTime } from '../format.js';
import { withSession } from '../session.js';
import { printable } from '../terminal.js';

/** `cidermill artifacts <build>` */
export function artifactsCommand(): Command {
  return new Command('artifacts')
    .description("list a build's artifacts, or download them")
    .argument('<build>', 'build id (rb_…)')
    .option('-o, --output <folder>', 'download them to this folder')
    .action((id: string, { output }: { output?: string }, command: Command) =>
      withSession(command, async (session) => {
        if (output !== undefined) targetFolder(session, output, '--output');
        const artifacts = await listArtifacts(session, id);
        if (output === undefined) {
          session.answer({ artifacts }, () => artifactsTable(artifacts));
          return;
        }
        const saved = await downloadArtifacts(session, id, artifacts, output);
        const paths = saved.flatMap(({ saved_to }) => (saved_to === null ? [] : [`${saved_to}\n`]));
        session.answer({ artifacts: saved }, () => paths.join(''));
        if (paths.length < saved.length) session.context.exitCode = EXIT_OTHER;
      }),
    );
}

function artifactsTable(artifacts: readonly WorkspaceFile[]): string {
  if (artifacts.length === 0) return 'no artifacts\n';
  const rows = artifacts.map((artifact) => [
    artifact.id,
    formatBytes(artifact.bytes),
    artifact.expires_at ? formatTime(artifact.expires_at) : '-',
    printable(artifact.path ?? artifact.name),
  ]);
  return formatTable(['FILE', 'SIZE', 'KEPT UNTIL', 'NAME'], rows);
}
