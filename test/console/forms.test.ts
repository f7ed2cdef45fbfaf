// Every form of the console in its source: it marks its fields with `Form`, and each field has the name of a field of the
// request, so that what the service says of it is shown beside it.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import ts from 'typescript';
import { startHarness } from '../harness/harness.js';
import { forms, inAddress, notForms, unsent } from './forms.js';

const root = new URL('../../../control-plane/console/', import.meta.url).pathname;
const FIELDS = new Set(['TextField', 'TextArea', 'NumberField', 'Select', 'RadioGroup', 'CheckboxGroup']);
/** Where the components are. */
const DESIGN = /^design\/(form|text-field|number-field|select|choices)\.tsx$/;

interface Element {
  readonly file: string;
  readonly tag: string;
  /** Literal attributes as text, others as source. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly spreads: boolean;
}

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
const elements = sources.flatMap(elementsOf);

function elementsOf(file: string): Element[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(root + file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    ts.ScriptKind.TSX,
  );
  const found: Element[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const properties = [...node.attributes.properties];
      found.push({
        file,
        tag: node.tagName.getText(),
        attributes: Object.fromEntries(
          properties.filter(ts.isJsxAttribute).map((one) => [one.name.getText(), textOf(one)]),
        ),
        spreads: properties.some(ts.isJsxSpreadAttribute),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function textOf({ initializer }: ts.JsxAttribute): string {
  if (initializer === undefined) return 'true';
  if (ts.isStringLiteral(initializer)) return initializer.text;
  return initializer.getText();
}

t.test('a form is a Form', async (t) => {
  const own = elements.filter(({ tag, file }) => tag === 'form' && !DESIGN.test(file)).map(({ file }) => file);
  t.same(
    own.filter((file) => !Object.hasOwn(notForms, file)),
    [],
    'or has a reason not to be',
  );
  for (const { file, tag } of elements.filter(({ tag: name }) => name === 'Form')) {
    const says = elements.some((one) => one.file === file && one.tag === 'FormFailure');
    t.ok(says, `${file}: ${tag} says what belongs to no field`);
  }
});

t.test('every field of a form has a name', async (t) => {
  const fields = elements.filter(({ tag, file }) => FIELDS.has(tag) && !DESIGN.test(file));
  t.ok(fields.length > 60, `${fields.length} fields`);
  const isFilter = ({ attributes }: Element) => 'inline' in attributes;
  const nameless = fields
    .filter(
      (one) => !('name' in one.attributes) && !one.spreads && !isFilter(one) && !Object.hasOwn(notForms, one.file),
    )
    .map(({ file, attributes }) => `${file} ${attributes.label?.replace(/^\{|\}$/g, '')}`);
  t.same(
    nameless.filter((one) => !unsent.has(one)),
    [],
  );
  const withFields = new Set(fields.filter(({ attributes }) => 'name' in attributes).map(({ file }) => file));
  const listed = (file: string) => Object.hasOwn(forms, file) || Object.hasOwn(notForms, file);
  t.same(
    [...withFields].filter((file) => !listed(file)),
    [],
    'files with fields are listed',
  );
  const gone = [...Object.keys(forms), ...Object.keys(notForms)].filter((file) => !sources.includes(file));
  t.same(gone, [], 'and there are no others');
});

type Json = Record<string, unknown>;
const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** Names of the fields of a schema, of what it refers to and of what it extends. */
function namesOf(document: Json, schema: Json): string[] {
  const { $ref, allOf, properties } = schema;
  const path = typeof $ref === 'string' ? $ref.slice(2).split('/') : [];
  const target = path.reduce<unknown>((at, name) => asObject(at)[name], document);
  const others = [...(path.length > 0 ? [target] : []), ...(Array.isArray(allOf) ? allOf : [])];
  return [...Object.keys(asObject(properties)), ...others.flatMap((one) => namesOf(document, asObject(one)))];
}

t.test('the name of a field is one of the request', async (t) => {
  const operatorToken = 'a-long-token-of-the-operator';
  const h = await startHarness(t, { operatorToken });
  const cookie = await h.signIn('owner', { operator: true });
  const bodies = new Map<string, readonly string[]>();
  for (const [path, headers] of [
    ['/api/v1', { authorization: `Bearer ${h.keys.all}` }],
    ['/api/runner', { cookie, origin: h.siteUrl }],
    ['/api/operator', { authorization: `Bearer ${operatorToken}` }],
  ] as const) {
    const document: Json = (await h.inject({ url: `${path}/openapi.json?form=full`, headers })).json();
    for (const operation of Object.values(asObject(document.paths)).flatMap((methods) =>
      Object.values(asObject(methods)),
    )) {
      const { operationId, requestBody } = asObject(operation);
      const { schema } = asObject(asObject(asObject(requestBody).content)['application/json']);
      bodies.set(String(operationId), namesOf(document, asObject(schema)));
    }
  }
  for (const [file, { sends, dynamic = [] }] of Object.entries(forms)) {
    const known = new Set(sends.flatMap((operation) => bodies.get(operation) ?? [`no operation ${operation}`]));
    const written = elements
      .filter((one) => one.file === file && FIELDS.has(one.tag) && 'name' in one.attributes)
      .map(({ attributes }) => attributes.name ?? '')
      .filter((name) => /^[\w.]+$/.test(name));
    const names = [...written, ...dynamic].map((name) => name.split('.')[0] ?? name);
    t.ok(names.length > 0 || file.startsWith('macs/'), `${file} has fields`);
    t.same(
      names.filter((name) => !known.has(name) && !inAddress.has(`${file} ${name}`)),
      [],
      `${file}: ${[...known].join(', ')}`,
    );
  }
});
