import { mkdtempSync, readFileSync, readlinkSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unless } from '../../shared/errno.js';

// sizeof sun_path on macOS, with its NUL.
const LONGEST_SOCKET_PATH = 103;

export interface ControlAddresses {
  /** Returns a path of the socket that is short enough for the system. */
  of(control: string): string;
  close(): void;
}

/**
 * Returns short paths for sockets below `folder`. If `folder` is too deep, they go through a symbolic link in a
 * temporary folder of this process. The one of a killed process is removed.
 *
 * @param record file that names the temporary folder while there is one
 */
export function createControlAddresses(folder: string, record: string): ControlAddresses {
  let shortcut: string | null = null;
  removeLeft(folder, record);
  return {
    of(control) {
      if (Buffer.byteLength(control) <= LONGEST_SOCKET_PATH) return control;
      if (shortcut === null) {
        shortcut = mkdtempSync('/tmp/cidermill-');
        writeFileSync(record, shortcut);
        symlinkSync(folder, linkIn(shortcut));
      }
      return path.join(linkIn(shortcut), path.relative(folder, control));
    },
    close() {
      if (shortcut !== null) {
        rmSync(shortcut, { recursive: true, force: true });
        rmSync(record, { force: true });
      }
      shortcut = null;
    },
  };
}

const linkIn = (shortcut: string) => path.join(shortcut, 'b');

/** Removes nothing but a link to `folder` and the empty folder around it, whatever the file says. */
function removeLeft(folder: string, record: string): void {
  const left = unless(['ENOENT'], () => readFileSync(record, 'utf8'));
  if (left === undefined) return;
  const target = unless(['ENOENT', 'ENOTDIR', 'EINVAL'], () => readlinkSync(linkIn(left)));
  if (target === folder) {
    rmSync(linkIn(left));
    unless(['ENOTEMPTY'], () => rmdirSync(left));
  }
  rmSync(record);
}
