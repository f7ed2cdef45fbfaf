import { type Clock, systemClock } from '../../../shared/clock.js';
import { hasLaunchd, type RunTool, runTool, toolsRoot } from '../../installation/system-tools.js';
import { type RunCommand, runCommandAs } from './child.js';

/** What can be replaced in tests. */
export interface InstallDeps {
  /** Null: this machine has no launchd. */
  readonly tools: RunTool | null;
  /** The tools are stand-ins, which are used below a prefix too. */
  readonly standIns: boolean;
  /** The file of the running program. */
  readonly script: string;
  readonly runCommand: RunCommand;
  readonly clock: Clock;
  readonly print: (text: string) => void;
}

/** The machine that this program runs on. */
export const thisMachine = (): InstallDeps => ({
  tools: hasLaunchd() ? runTool : null,
  standIns: toolsRoot() !== '',
  script: process.argv[1] ?? '',
  runCommand: runCommandAs,
  clock: systemClock,
  print: (text) => void process.stdout.write(text),
});
