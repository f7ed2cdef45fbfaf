// Generates client/operations/*.ts: an operation for every endpoint, with what it takes and answers.
import { isObject } from '../../shared/is-object.js';
import type { Documents } from './documents.js';
import { comment, typeText } from './print-type.js';
import type { ReferenceOperation } from './reference-operations.js';
import { namesIn } from './schema.js';

const HEADER = `// Generated, do not edit: \`npm run generate\` makes this file from the reference that the service answers with.
`;

/** Returns the file with the operations of one API. Those without an answer are retired. */
export function clientOperations(api: keyof Documents, all: readonly ReferenceOperation[]): string {
  const operations = all.filter((one) => one.api === api && one.answers.some(([status]) => status < '4'));
  const names = operations.flatMap((one) => [...namesIn([one.json, successes(one)]), one.query ?? []].flat());
  const declarations = operations.map(declaration);
  const asked = operations.some(({ query }) => query !== null) ? ['Asked'] : [];
  const type = typeOf(api);
  return [
    HEADER,
    `import type { ${[...new Set(names)].sort((one, other) => one.localeCompare(other, 'en')).join(', ')} } from '../types.js';`,
    `import type { ${[...asked, type].join(', ')} } from './operation.js';\n`,
    ...declarations,
  ].join('\n');
}

const typeOf = (api: keyof Documents) => (api === 'api' ? 'Operation' : 'SessionOperation');

const successes = ({ answers }: ReferenceOperation) =>
  answers.filter(([status]) => status < '4').map(([, schema]) => schema);

function declaration(operation: ReferenceOperation): string {
  const { id, api, method, path, summary, query, json, parameters } = operation;
  const takes = [...(json === null ? [] : ['body']), ...(query === null ? [] : ['query'])];
  const holds = parameters.map(({ name }) => name).find((name) => name === 'wait' || name === 'timeout');
  const answers = answerKind(operation);
  const fields = {
    method,
    path,
    ...(api === 'api' ? {} : { api }),
    ...(takes.length === 0 ? {} : { takes }),
    ...(holds === undefined ? {} : { holds }),
    ...(answers === 'json' ? {} : { answers }),
  };
  return `${comment(summary)}export const ${id}: ${typeOf(api)}<(${argumentsText(operation)}) => ${answerText(operation)}> = ${JSON.stringify(fields)};\n`;
}

function argumentsText({ pathNames, json, query, parameters }: ReferenceOperation): string {
  const optional = parameters.some(({ required }) => required === true) ? '' : '?';
  return [
    ...pathNames.map((name) => `${camel(name)}: string`),
    ...(json === null ? [] : [`body: ${typeText(json)}`]),
    ...(query === null ? [] : [`query${optional}: Asked<${query}>`]),
  ].join(', ');
}

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function answerKind({ types }: ReferenceOperation): 'json' | 'text' | 'bytes' | 'nothing' {
  if (types.length === 0) return 'nothing';
  if (types.includes('application/json')) return 'json';
  return types.includes('application/octet-stream') ? 'bytes' : 'text';
}

function answerText(operation: ReferenceOperation): string {
  const kind = answerKind(operation);
  if (kind === 'nothing') return 'void';
  if (kind === 'text') return 'string';
  if (kind === 'bytes') return 'Uint8Array';
  // A part of a text, or the address of one, is no JSON.
  const schemas = operation.answers.filter(
    ([status, schema]) => status < '4' && (status === '204' || (isObject(schema) && Object.keys(schema).length > 0)),
  );
  const texts = schemas.map(([status, schema]) => (status === '204' ? 'null' : typeText(schema)));
  return [...new Set(texts)].join(' | ');
}
