// lume's folders for this agent. lume takes a folder with every command (`--storage DIR`), so its own
// settings and the virtual machines that people create with it are not touched.
import path from 'node:path';

export interface LumeFolders {
  /** Virtual machines. */
  readonly vms: string;
  /** Images: virtual machines that are never started. On the same volume as `vms`, so that clones share their blocks. */
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

/** lume's lock beside a virtual machine, which lume does not delete. */
export const guardFile = (folder: string, name: string): string => path.join(folder, `.${name}.resize.guard`);
