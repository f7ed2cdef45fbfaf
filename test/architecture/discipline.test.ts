// Invariants that an import rule cannot check: which clock is used, what commands know of the process, who may send
// requests to other servers.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { driverNames } from '../../shared/drivers.js';
import { consoleSources } from '../../tools/bundle/console.js';
import { importsIn } from './imports.js';

const root = new URL('../../../', import.meta.url).pathname;

interface Use {
  readonly file: string;
  readonly what: string;
}

const sources = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(c?ts|tsx)$/.test(path))
    .map((path) => `${folder}/${path}`);

const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

const parsed = new Map<string, ts.SourceFile>();

/** Each file is parsed once. */
function parse(file: string): ts.SourceFile {
  const source = parsed.get(file) ?? ts.createSourceFile(file, textOf(file), ts.ScriptTarget.ES2023);
  parsed.set(file, source);
  return source;
}

/** `setTimeout`, `Date.now`, `globalThis.fetch`: what is called, without what it is called on when that is no global. */
function calledName({ expression }: ts.CallExpression): string | null {
  if (ts.isIdentifier(expression)) return expression.text;
  if (!ts.isPropertyAccessExpression(expression) || !ts.isIdentifier(expression.expression)) return null;
  const owner = expression.expression.text;
  const { text } = expression.name;
  if (owner === 'globalThis' || owner === 'global' || owner === 'window') return text;
  return ['Date', 'performance', 'AbortSignal'].includes(owner) ? `${owner}.${text}` : null;
}

/** Returns an expression that matches uses of a global: `clock.setTimeout()` is no use of `setTimeout`. */
function formOf(name: string): RegExp {
  if (isBuiltin(name)) return new RegExp(`'${name}'`);
  const words = (name.match(/\w+/g) ?? []).join('[\\s.]+');
  return new RegExp(`(?<![\\w.])(?:global(?:This)?\\s*\\??\\.\\s*)?${words}\\b`);
}

function usesOf(files: readonly string[], named: ReadonlySet<string>): Use[] {
  const uses: Use[] = [];
  // Parsing takes time.
  const forms = [...named].map(formOf);
  const mayUse = (text: string) => forms.some((form) => form.test(text));
  for (const file of files.filter((one) => mayUse(textOf(one)))) {
    const source = parse(file);
    const visit = (node: ts.Node) => {
      let what: string | null = null;
      if (ts.isCallExpression(node)) what = calledName(node);
      if (ts.isImportDeclaration(node) && !node.importClause?.isTypeOnly && ts.isStringLiteral(node.moduleSpecifier)) {
        what = node.moduleSpecifier.text;
      }
      if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && !node.arguments?.length) {
        what = `new ${node.expression.text}()`;
      }
      if (what !== null && named.has(what)) uses.push({ file, what });
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return uses;
}

const all = ['shared', 'control-plane', 'host-agent', 'client'].flatMap(sources);

/** The console runs in a browser and has a clock of its own. */
const CLOCKS = ['control-plane/console/clock.ts', 'shared/clock.ts'];

t.test(`only ${CLOCKS.join(' and ')} ask the machine for the time and set timers`, async (t) => {
  const timed = new Set([
    ...['setTimeout', 'setInterval', 'AbortSignal.timeout', 'node:timers'],
    ...['Date.now', 'performance.now', 'new Date()'],
  ]);
  const uses = usesOf(all, timed);
  t.same([...new Set(uses.map(({ file }) => file))].sort(), CLOCKS);
});

/** Where the control plane sends requests, and to whom. */
const senders: readonly { readonly path: RegExp; readonly to: string }[] = [
  { path: /^control-plane\/platform\/outbound\//, to: "customers' addresses, behind the guard" },
  { path: /^control-plane\/platform\/blobs\/s3\//, to: 'the object store that the operator configured' },
  { path: /^control-plane\/access\/outbound\//, to: "GitHub's keys of secret scanning" },
  { path: /^control-plane\/events\/code-hosts\//, to: 'the code host that the operator configured' },
  {
    path: /^control-plane\/payments\/providers\//,
    to: 'the payment provider and the source of the exchange rate',
  },
  { path: /^control-plane\/(admin|dev)\//, to: 'a service of ours, from a command' },
];

t.test('requests to other servers leave the control plane from its outbound rooms alone', async (t) => {
  const requests = new Set(['askServer', 'fetch', 'undici', 'node:http', 'node:https', 'http', 'https', 'node:tls']);
  const files = sources('control-plane').filter((file) => !file.startsWith('control-plane/console/'));
  const uses = usesOf(files, requests);
  t.ok(uses.length > 3, 'the search finds what it looks for');
  // The requests that arrive are objects of a class of node:http.
  const receiver = 'control-plane/platform/http/websocket-upgrades.ts';
  t.same(
    uses.filter(({ file }) => file !== receiver && !senders.some(({ path }) => path.test(file))),
    [],
  );
  for (const { path, to } of senders) {
    t.ok(
      uses.some(({ file }) => path.test(file)),
      `a sender that is gone leaves the list: ${to}`,
    );
  }
});

t.test('the global fetch, which fails on interim answers, is only used between our own parts', async (t) => {
  const files = sources('control-plane').filter((file) => !/^control-plane\/(console|dev)\//.test(file));
  t.same(usesOf(files, new Set(['fetch'])), []);
});

t.test('commands use the context that they are given, not the process', async (t) => {
  const ofTheProcess = /\bprocess\.(?:argv|cwd|env|exit|exitCode|off|on|once|stderr|stdin|stdout)\b|\bconsole\./;
  const uses = (folder: string) => sources(folder).filter((file) => ofTheProcess.test(textOf(file)));
  // What starts the command line.
  t.same(uses('client/cli'), ['client/cli/start.ts']);
  t.same(
    ['artifacts', 'files', 'upload'].flatMap((name) => uses(`client/${name}`)),
    [],
  );
});

t.test('use cases open transactions; besides them only operator commands and the store itself do', async (t) => {
  const opens = sources('control-plane').filter((file) => /\.transaction\(/.test(textOf(file)));
  t.ok(opens.length > 40, 'the search finds what it looks for');
  const may = /^control-plane\/(?:[a-z]+\/app|admin|platform\/store)\//;
  t.same(
    opens.filter((file) => !may.test(file)),
    [],
  );
});

t.test('a test loops over every state table', async (t) => {
  const tables = sources('control-plane').flatMap((file) =>
    [...textOf(file).matchAll(/^export const (\w+Transitions)\b/gm)].map(([, name = '']) => name),
  );
  t.ok(tables.length > 6, 'the search finds what it looks for');
  const tests = sources('test')
    .filter((file) => file.endsWith('.test.ts'))
    .map(textOf);
  // Reads the kind of the cell, not only whether it is null.
  const looped = (name: string) => new RegExp(`\\b${name}(?:\\[\\w+\\]\\[\\w+\\](?! [!=]==)|\\))`);
  t.same(
    tables.filter((name) => !tests.some((text) => looped(name).test(text))),
    [],
  );
});

t.test('clients write no path of the API: they send operations made from the routes', async (t) => {
  const path = /['"`}]\/v1\/|\/api\/(?:runner|operator)\b/;
  const clients = ['client', 'control-plane/admin', 'control-plane/console'].flatMap(sources);
  const found = clients.filter((file) =>
    textOf(file)
      .split('\n')
      .some((line) => path.test(line) && !/^\s*(?:\*|\/\/|\/\*\*)/.test(line)),
  );
  t.same(found.sort(), [
    // The operations themselves.
    'client/operations/console.ts',
    'client/operations/operator.ts',
    // The address of the operator API.
    'control-plane/admin/operator-client.ts',
    'control-plane/console/data/api.ts',
    // A change of operators has its name as its path.
    'control-plane/console/data/operator.ts',
    // Where the API for programs is mounted for sessions and links.
    'control-plane/console/data/place.ts',
  ]);
  t.ok(
    clients.filter((file) => /\b(?:call|\.read)\(/.test(textOf(file))).length > 30,
    'the search finds what it looks for',
  );
});

t.test('the console is built again when anything that it imports has changed', async (t) => {
  const imported = importsIn(['shared', 'control-plane', 'client'])
    .flatMap(({ from, to }) => (from.startsWith('control-plane/console/') ? (to ?? []) : []))
    .filter(
      (file) => !file.startsWith('node_modules/') && !consoleSources.some((folder) => file.startsWith(`${folder}/`)),
    );
  // It has types only.
  t.same([...new Set(imported)], ['client/types.ts']);
});

const LONGEST_FUNCTION = 120;

function functionsOver(lines: number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const file of all.filter((one) => textOf(one).split('\n').length > lines)) {
    const source = parse(file);
    const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
    const visit = (node: ts.Node) => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body) {
        const length = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
        if (length > lines) found[`${file} ${node.name?.getText(source) ?? ''}`.trimEnd()] = length;
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

t.test(`a function fits on a screen: ${LONGEST_FUNCTION} lines at most`, async (t) => {
  t.same(functionsOver(LONGEST_FUNCTION), {});
});

t.test('a driver is named in one list, its own folder and one line: nothing else asks for it by name', async (t) => {
  const own = /^(?:shared\/drivers\.ts|host-agent\/driver\/(?:tart|lume)\/.*|host-agent\/driver\/local[^/]*\.ts)$/;
  // Other things that are called local: the tier and the host of `cidermill dev`, the checks of machines without a tool.
  const named = /'(?:tart|lume)'|(?:===|!==|case|default\(|kind:|driver:) ?'local'/;
  const found = all
    .filter((file) => !own.test(file) && !file.startsWith('control-plane/console/'))
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line) => (named.test(line) && !/^\s*(?:\*|\/\/)/.test(line) ? [`${file}: ${line.trim()}`] : [])),
    );
  t.same(found, []);
  t.ok(named.test("if (host.driver === 'local')"), 'the search finds what it looks for');
  const installer = readFileSync(join(root, 'control-plane/packages/installers/host-agent.sh'), 'utf8');
  const [, taken = ''] = /case \$driver in '' \| ([^)]+)\)/.exec(installer) ?? [];
  t.same(taken.split(' | ').sort(), [...driverNames].sort(), 'the installer of hosts takes the same');
});

t.test('changes of the console go through its own hook, which sends what is clicked twice once', async (t) => {
  const direct = sources('control-plane/console').filter((file) =>
    /\buseMutation\b[^;]*from '@tanstack\/react-query'/.test(textOf(file)),
  );
  t.same(direct, ['control-plane/console/data/mutation.ts']);
});
