// The Mac of a build that is a folder of this host.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { type AttemptRef, buildFiles, processMark } from '../contract/attempt-folder.js';
import type { BuildMac } from '../driver/build-mac.js';
import { freeDisk } from '../driver/free-disk.js';
import type { LocalDriver } from '../driver/local.js';
import { folderNameOf } from '../driver/work-folders.js';
import { removeTree } from '../system/remove-tree.js';
import { openTerminal } from './terminal.js';
import { carried, wrapperCommand } from './wrapper.js';

/** @param options.ancestor a process of this host that runs only this build: all its descendants belong to the build */
export function createLocalMac(options: {
  driver: LocalDriver;
  slotId: string;
  ref: AttemptRef;
  ancestor?: number | undefined;
  /** How long the wrapper waits for its end mark to be read before it exits. */
  endMarkWaitS: number;
  /** After this time without output, a program that waits for keys gets the end of its input. */
  inputQuietMs: number;
  clock: Clock;
}): BuildMac {
  const { driver, slotId, ref, ancestor, endMarkWaitS, inputQuietMs, clock } = options;
  const files = buildFiles(driver.runs(slotId), ref);
  const mark = processMark(files);
  const secretFile = (name: string) => path.join(files.secrets, name);

  return {
    async prepare(sourceKey, signal) {
      const { home, work, tmp, state } = await driver.prepare(slotId, sourceKey, signal);
      mkdirSync(files.artifacts, { recursive: true, mode: 0o700 });
      return { home, work, tmp, state, artifacts: files.artifacts, sources: work };
    },
    makeRoom: (sourceKey, reserveBytes, signal) =>
      freeDisk(driver, {
        slots: [slotId],
        keep: new Set([folderNameOf(sourceKey)]),
        reserveBytes,
        async remove({ name }) {
          await driver.removeWorkFolder(slotId, name, signal);
          return true;
        },
      }),
    developerDir: driver.developerDir,
    // The sources were checked out into the work folder itself.
    deliver: async () => {},
    openScript({ script, env, variables, files: contents, paths, onInputEnded, ...terminal }) {
      writeFileSync(files.script, script, { mode: 0o700 });
      const names = Object.keys(contents);
      if (names.length > 0) mkdirSync(files.secrets, { mode: 0o700 });
      for (const name of names) writeFileSync(secretFile(name), contents[name] ?? '', { mode: 0o600, flag: 'wx' });
      const hidden = carried({
        ...variables,
        ...Object.fromEntries(names.map((name) => [name, secretFile(name)])),
      });
      const command = wrapperCommand(files.script, script, endMarkWaitS);
      const opened = openTerminal(driver.launch(slotId, command, { ...env, ...hidden }, paths.work), {
        ...terminal,
        input: { clock, quietMs: inputQuietMs, onEnded: onInputEnded },
      });
      return {
        ...opened,
        release: () => void opened.release(),
        signal: (signal) => driver.signal(slotId, { mark, session: opened.session(), ancestor }, signal),
        close: async () => {},
      };
    },
    collect: async () => ({ folder: files.artifacts, leftOut: [], cut: false }),
    removeFiles: (signal) => removeTree(files.folder, signal),
  };
}
