// The half of the client that builds need. It stands alone, so that a build does not wait for code about renting.
import { type AccountApi, accountApi } from './api/account.js';
import { type BuildsApi, buildsApi } from './api/builds.js';
import { type ErrorsApi, errorsApi } from './api/errors.js';
import { type FilesApi, filesApi } from './api/files.js';
import { type SecretsApi, secretsApi } from './api/secrets.js';
import { type UploadsApi, uploadsApi } from './api/uploads.js';
import { gzip } from './gzip.js';
import type { Wire } from './http/exchange.js';

export interface BuildClient extends AccountApi {
  readonly uploads: UploadsApi;
  readonly builds: BuildsApi;
  readonly secrets: SecretsApi;
  readonly errors: ErrorsApi;
  readonly files: FilesApi;
  /** Addresses in use, normalised. */
  readonly baseUrl: string;
  readonly runnerUrl: string;
}

/** @param pack makes the gzip of a manifest; by default with what the runtime has */
export function buildClient(wire: Wire, pack = gzip): BuildClient {
  return {
    ...accountApi(wire),
    uploads: uploadsApi(wire, pack),
    builds: buildsApi(wire),
    secrets: secretsApi(wire),
    errors: errorsApi(wire),
    files: filesApi(wire),
    baseUrl: wire.baseUrl,
    runnerUrl: wire.runnerUrl,
  };
}
