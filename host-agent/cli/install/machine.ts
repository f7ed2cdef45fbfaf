import { systemClock } from '../../../shared/clock.js';
import { hasLaunchd, runTool, toolsRoot } from '../../installation/system-tools.js';
import { runCommandAs } from './child.js';
import type { InstallDeps } from './plan.js';

export type { InstallDeps };

/** The machine that this program runs on. */
export const thisMachine = (): InstallDeps => ({
  tools: hasLaunchd() ? runTool : null,
  standIns: toolsRoot() !== '',
  script: process.argv[1] ?? '',
  runCommand: runCommandAs,
  clock: systemClock,
  print: (text) => void process.stdout.write(text),
});
