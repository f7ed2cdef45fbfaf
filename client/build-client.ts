// The part of the client that builds need, separate from renting, so that a build loads less code.
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
  /** Normalized addresses. */
  readonly baseUrl: string;
  readonly runnerUrl: string;
}

/** @param compress makes the gzip of a manifest; default: the runtime's CompressionStream */
export function buildClient(wire: Wire, compress = gzip): BuildClient {
  return {
    ...accountApi(wire),
    uploads: uploadsApi(wire, compress),
    builds: buildsApi(wire),
    secrets: secretsApi(wire),
    errors: errorsApi(wire),
    files: filesApi(wire),
    baseUrl: wire.baseUrl,
    runnerUrl: wire.runnerUrl,
  };
}
