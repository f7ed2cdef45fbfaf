// What operators do with the data folder: a copy of the database, and the key that seals secrets.
import type { Base } from '../compose/platform.js';
import { dataFolder } from '../data-folder.js';
import { createVault } from '../platform/app/vault.js';
import { ApiError } from '../platform/domain/error-catalog.js';
import { type KeyFile, openKeyFile } from '../platform/store/key-file.js';
import { recordBackup } from '../platform/store/meta.js';
import { listUnreadable, type Unreadable } from '../start/app/unreadable-secrets.js';
import { writeBackup } from './backup.js';
import { type Rotation, rotateKey } from './key-rotation.js';

export interface Maintenance {
  /** Writes a copy of the database. Throws invalid_request for a path that cannot be written. */
  backup(file: string): Promise<void>;
  rotateKey(): Promise<Rotation>;
  /** Returns all sealed values that cannot be decrypted. */
  unreadableSecrets(): Promise<Unreadable[]>;
}

export function createMaintenance({ store, clock, config, processes }: Base): Maintenance {
  const folder = dataFolder(config.data);
  return {
    async backup(file) {
      await writeBackup(store, file, folder);
      await store.transaction((tx) => recordBackup(tx, clock.now()));
    },
    async rotateKey() {
      if ((await processes.list()).length > 1) throw severalKeyFiles();
      const keys = existingKeys(folder.keyFile);
      return rotateKey({ store, keys, vault: createVault(keys) });
    },
    unreadableSecrets: () => listUnreadable({ store, vault: createVault(existingKeys(folder.keyFile)) }),
  };
}

/** What one process seals with the new key the others could not read. */
const severalKeyFiles = () =>
  new ApiError('secrets_unavailable', {
    message:
      'Several processes run, each with its own copy of secret.key: stop all but one, rotate the key, copy the file to the others, and start them.',
  });

/** Never creates a key: it could differ from the key of a running service. Throws secrets_unavailable. */
function existingKeys(keyFile: string): KeyFile {
  try {
    return openKeyFile(keyFile, { create: false });
  } catch (error) {
    throw new ApiError('secrets_unavailable', {
      message: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}
