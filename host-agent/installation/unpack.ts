// Unpacks the archive of a version into a folder.
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { readTar, TarError } from '../../shared/archive/tar-reader.js';
import { syncFolder } from '../../shared/durable-file.js';

/** A package has some dozens of files and a runtime of 120 MB. */
const BOUNDS = {
  maxFiles: 2_000,
  maxFolders: 500,
  maxPathBytes: 300,
  maxFileBytes: 1024 ** 3,
  maxTotalBytes: 2 * 1024 ** 3,
};

/** The archive is damaged, or it is not a package of the host agent. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

/**
 * Unpacks into `folder`, which must be empty, everything below the archive's only top folder. Everything is on disk when
 * this returns.
 *
 * @param top name of the top folder
 * @throws ArchiveError; errors of the file system
 */
export async function unpackArchive(archive: string, top: string, folder: string): Promise<void> {
  const source = createReadStream(archive);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  const folders = new Set([folder]);
  try {
    const files = readTar(source.pipe(gunzip), { ...BOUNDS, folder: top });
    let next = await files.next();
    for (; !next.done; next = await files.next()) {
      const { path, mode, body } = next.value;
      const file = join(folder, path.slice(top.length + 1));
      await makeFolders(folder, dirname(file), folders);
      await writeFile(file, mode, body);
    }
    if (next.value.links.length > 0) throw new ArchiveError('the archive has links');
  } catch (error) {
    if (error instanceof TarError) throw new ArchiveError(error.message, { cause: error });
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new ArchiveError(`the archive is damaged: ${error.message}`, { cause: error });
    }
    throw error;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
  for (const one of folders) syncFolder(one);
}

async function makeFolders(root: string, folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  if (folder !== root) await makeFolders(root, dirname(folder), made);
  await mkdir(folder, { recursive: true });
  // The agent's umask would close it to the other users of the command.
  await chmod(folder, 0o755);
  made.add(folder);
}

async function writeFile(file: string, mode: number, body: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    for await (const piece of body) await handle.writeFile(piece);
    await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
