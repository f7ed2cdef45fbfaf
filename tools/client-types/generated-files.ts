import { clientOperations } from './client-operations.js';
import { clientTypes } from './client-types.js';
import type { Documents } from './documents.js';
import { formatted } from './format.js';
import { operationsOf } from './reference-operations.js';

/** Returns the text of every generated file by its path. */
export function generatedFiles(documents: Documents): Record<string, string> {
  const operations = operationsOf(documents);
  const texts = {
    'client/types.ts': clientTypes(documents),
    'client/operations/api.ts': clientOperations('api', operations),
    'client/operations/console.ts': clientOperations('console', operations),
    'client/operations/operator.ts': clientOperations('operator', operations),
  };
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, formatted(text, path)]));
}
