import { Command } from 'commander';
import { hasEnded } from '../../api/builds.js';
import type { BuildBrief } from '../../types.js';
import { EXIT_CANCELLED, exitCodeOfBuild } from '../exit-codes.js';
import { PATIENT } from '../follow-order.js';
import { formatSpan } from '../format.js';
import { unlessLeft } from '../leave.js';
import { type Session, withSession } from '../session.js';
import { createStatusLine, printable } from '../terminal.js';

/** `cidermill wait <build>` */
export function waitCommand(): Command {
  return new Command('wait')
    .description("wait until a build has ended, and exit with the build's exit code")
    .argument('<build>', 'build id (rb_…)')
    .action((id: string, _options: unknown, command: Command) =>
      withSession(command, async (session) => {
        const ended = await unlessLeft(session.context, (signal) => untilEnded(session, id, signal));
        if (!ended) {
          session.note(`\n${printable(id)} goes on: cidermill wait ${printable(id)}`);
          session.context.exitCode = EXIT_CANCELLED;
          return;
        }
        const build = await session.client.builds.get(id);
        session.answer(build, ({ status }) => `${printable(id)} ${status}\n`);
        if (build.status === 'failed') session.note(`why: cidermill failure ${printable(id)}`);
        session.context.exitCode = exitCodeOfBuild(build);
      }),
    );
}

/** Shows each change on standard error. */
async function untilEnded({ client, context }: Session, id: string, signal: AbortSignal): Promise<true> {
  const line = createStatusLine(context.stderr);
  try {
    for (let since = '0'; ; ) {
      const seen = await client.builds.waitForChange(id, since, { signal, retry: PATIENT });
      if (seen === null) continue;
      if (hasEnded(seen)) return true;
      line.set(stateText(seen));
      since = seen.version;
    }
  } finally {
    line.clear();
  }
}

function stateText({ status, phase, silent_s, last_line }: BuildBrief): string {
  const silence = silent_s === null || silent_s < 60 ? '' : `, silent for ${formatSpan(silent_s)}`;
  const last = last_line === null ? '' : `: ${printable(last_line)}`;
  return `${status}${phase === null ? '' : ` (${phase})`}${silence}${last}`;
}
