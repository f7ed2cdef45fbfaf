import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

// sizeof sun_path on macOS, with its NUL.
const LONGEST_SOCKET_PATH = 103;

export interface ControlAddresses {
  /** A path of the socket that is short enough for the system. */
  of(control: string): string;
  close(): void;
}

/**
 * Paths of sockets below `folder`. Where that is too deep for a socket's path, they go through a link in a new folder
 * of this process alone.
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
