import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

// sizeof sun_path on macOS, with its NUL.
const LONGEST_SOCKET_PATH = 103;

export interface ControlAddresses {
  /** Returns a path of the socket that is short enough for the system. */
  of(control: string): string;
  close(): void;
}

/**
 * Returns short paths for sockets below `folder`. If `folder` is too deep, they go through a symbolic link in a
 * temporary folder of this process.
 */
export function createControlAddresses(folder: string): ControlAddresses {
  let shortcut: string | null = null;
  return {
    of(control) {
      if (Buffer.byteLength(control) <= LONGEST_SOCKET_PATH) return control;
      if (shortcut === null) {
        shortcut = mkdtempSync('/tmp/cidermill-');
        symlinkSync(folder, path.join(shortcut, 'b'));
      }
      return path.join(shortcut, 'b', path.relative(folder, control));
    },
    close() {
      if (shortcut !== null) rmSync(shortcut, { recursive: true, force: true });
      shortcut = null;
    },
  };
}
