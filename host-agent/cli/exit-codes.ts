import { CommanderError } from 'commander';
import { isErrno } from '../../shared/errno.js';
import { ForeignFolderError } from '../../shared/private-folder.js';
import { systemProblem } from '../../shared/system-problem.js';
import { ConfigError } from '../daemon/config.js';
import { AlreadyEnrolledError, NotEnrolledError } from '../daemon/enrolment.js';
import { InstallError } from '../installation/install-error.js';
import { LockedError } from '../system/lock.js';
import { AnswerError } from '../system/request.js';

/** Exit codes of sysexits.h. */
export const EXIT = {
  usage: 64,
  unreachable: 69,
  software: 70,
  cannotWrite: 73,
  tryLater: 75,
  refused: 77,
  config: 78,
} as const;

/** Returns the exit code for the error of a command, and prints its message. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const problem = systemProblem(error);
  const text = problem?.text ?? (error instanceof Error ? error.message : String(error));
  const say = (code: number) => {
    process.stderr.write(`cidermill host-agent: ${text}\n`);
    return code;
  };
  if (error instanceof ConfigError || error instanceof ForeignFolderError) return say(EXIT.config);
  if (error instanceof InstallError) return say(error.exitCode);
  if (error instanceof LockedError) return say(EXIT.tryLater);
  if (error instanceof NotEnrolledError || error instanceof AlreadyEnrolledError) return say(EXIT.refused);
  if (error instanceof AnswerError) return say(error.temporary ? EXIT.tryLater : EXIT.refused);
  if (isErrno(error, 'ENOSPC', 'EDQUOT', 'EROFS')) return say(EXIT.cannotWrite);
  if (problem?.isInput) return say(EXIT.usage);
  if (error instanceof Error && 'code' in error && error.code !== undefined) return say(EXIT.unreachable);
  return say(EXIT.software);
}
