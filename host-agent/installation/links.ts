// The links to the current version.
import { existsSync, lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { makeFolder } from './folders.js';
import { type InstallPaths, versionFolder } from './paths.js';
import { openToOthers } from './root-only.js';
import { type Found, leftOut, ok, type Step } from './steps.js';
import { endTrial, readTrial } from './trial.js';

/** Replaces a link, so that it leads to the old or the new target at any time. */
export function replaceLink(target: string, link: string): void {
  const fresh = `${link}.new`;
  rmSync(fresh, { force: true });
  symlinkSync(target, fresh);
  renameSync(fresh, link);
}

/** Returns where the link leads, as written; null when it is missing or no link. */
export function readLink(link: string): string | null {
  return lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(link) : null;
}

/** @param version the version that this program runs from; null: not from a package */
export function programStep(paths: InstallPaths, version: string | null, program: readonly string[]): Step {
  return {
    name: 'program',
    async look(): Promise<Found> {
      if (version === null) return leftOut(`not installed from a package; the job starts ${program.join(' ')}`);
      const target = relative(paths.root, versionFolder(paths, version));
      if (readLink(paths.current) === target) return ok(`version ${version}`);
      return {
        state: 'needed',
        text: `make version ${version} the current one (${paths.current})`,
        apply() {
          // A version that somebody installs replaces a trial of another one.
          if (readTrial(paths) !== null) endTrial(paths);
          replaceLink(target, paths.current);
        },
      };
    },
  };
}

/** The command `cidermill` for people; a command of another origin stays. */
export function commandStep(paths: InstallPaths, version: string | null): Step {
  return {
    name: 'command',
    async look(): Promise<Found> {
      if (version === null) return leftOut('not installed from a package');
      const target = commandTarget(paths);
      const found = lstatSync(paths.command, { throwIfNoEntry: false });
      if (found && readLink(paths.command) !== target) {
        return leftOut(`${paths.command} is another program; this one is ${paths.current}/bin/cidermill`);
      }
      const folder = dirname(paths.command);
      const open = existsSync(folder) ? openToOthers(folder) : null;
      if (open !== null) {
        return leftOut(
          `users other than root can change ${open}, so \`sudo cidermill\` could run something else: ${
            found ? `remove ${paths.command}, and ` : ''
          }run ${paths.current}/bin/cidermill`,
        );
      }
      if (found) return ok(paths.command);
      return {
        state: 'needed',
        text: `link ${paths.command} to ${paths.current}/bin/cidermill`,
        apply() {
          makeFolder(folder);
          replaceLink(target, paths.command);
        },
      };
    },
  };
}

export const commandTarget = (paths: InstallPaths): string =>
  relative(dirname(paths.command), `${paths.current}/bin/cidermill`);
