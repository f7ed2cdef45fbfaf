// The script step: starts the script in the Mac, with its environment and its Xcode, and waits for its end.
import { hostFailure } from '../../shared/messages/host-failures.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { BuildPaths } from '../driver/build-mac.js';
import type { BuildLog } from './build-log.js';
import { buildEnvironment, explainNotStarted } from './environment.js';
import type { RunOptions } from './run-options.js';
import { runScript, type ScriptRun } from './script.js';

/** @throws BuildStepError (xcode_missing) */
export async function chooseXcode({ spec, mac }: RunOptions, log: BuildLog): Promise<string | null> {
  if (spec.xcode === null) return null;
  const folder = await mac.developerDir(spec.xcode);
  if (folder === null) {
    const message = hostFailure('xcode_missing', { xcode: spec.xcode });
    throw new BuildStepError('xcode', 'xcode_missing', 'platform', message);
  }
  log.line(`Xcode ${spec.xcode}`);
  return folder;
}

const INPUT_ENDED = 'A program waited for a key on the terminal, where nobody can type; its input was closed.';

/** @param found what the steps before have found: the checked out commit, and the Xcode */
export async function scriptStep(
  options: RunOptions,
  log: BuildLog,
  paths: BuildPaths,
  found: { commit: string | null; developerDir: string | null },
): Promise<ScriptRun> {
  const { spec, mac, halt, clock, limits, on } = options;
  try {
    const script = mac.openScript({
      script: spec.script,
      ...buildEnvironment({ ...options, ...found, paths }),
      paths,
      columns: limits.terminalColumns,
      rows: limits.terminalRows,
      onInputEnded: () => log.line(INPUT_ENDED),
      onOutput(bytes) {
        on.output();
        log.write(bytes);
      },
    });
    return await runScript({
      script,
      signal: halt.signal,
      // After an error of the host there is no reason to wait.
      killGraceMs: () => (typeof halt.cause() === 'string' ? spec.kill_grace_ms : 0),
      limits,
      clock,
    });
  } catch (error) {
    throw explainNotStarted(error, options.secrets);
  }
}
