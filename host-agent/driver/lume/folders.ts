// Where lume keeps what belongs to this agent. lume takes a folder with every command (`--storage DIR`), so its own
// settings and the machines that people make with it stay as they are.
import path from 'node:path';

export interface LumeFolders {
  /** Virtual machines. */
  readonly vms: string;
  /** Images: machines that are never started. On the same volume as `vms`, so that clones share their blocks. */
  readonly images: string;
  /** TMPDIR of `lume pull`, where it assembles an image. */
  readonly tmp: string;
}

/** @param home an absolute path: lume takes a name without a slash for one of its settings */
export const lumeFolders = (home: string): LumeFolders => ({
  vms: path.join(home, 'vms'),
  images: path.join(home, 'images'),
  tmp: path.join(home, 'tmp'),
});

/** Beside a machine: lume's lock, which it does not delete. */
export const guardFile = (folder: string, name: string): string => path.join(folder, `.${name}.resize.guard`);
