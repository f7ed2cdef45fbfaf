// The examples of docs/libraries.md for programs that use a service, run unchanged (except for the import path).
// Runs in: soak
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import ts from 'typescript';
import { startReceiver } from '../../harness/receiver.js';
import { sharedService } from './shared-service.js';

const root = new URL('../../../../', import.meta.url).pathname;

t.test('the examples of the client', async (t) => {
  const text = readFileSync(join(root, 'docs/libraries.md'), 'utf8');
  const service = await sharedService();
  const dir = mkdtempSync(join(tmpdir(), 'cidermill-example-'));
  t.teardown(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'Makefile'), 'test:\n\t@echo tested; echo kept > $$CIDERMILL_ARTIFACTS/report.txt\n');
  const run = async (name: string, env: NodeJS.ProcessEnv = {}) => {
    const example = new RegExp(`<!-- client: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
    if (!example) throw new Error(`docs/libraries.md has no example ${name}`);
    const file = join(dir, `${name}.mjs`);
    const program = example.replaceAll("'cidermill/client'", `'${join(root, 'dist/client/index.js')}'`);
    writeFileSync(file, program);
    const child = spawn(process.execPath, [file], { cwd: dir, env: { ...service.env, ...env } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        out += chunk;
      });
    }
    t.equal(await new Promise((resolve) => child.on('close', resolve)), 0, out);
    return out;
  };

  const uploaded = await run('upload');
  t.match(uploaded, /^\S+ true\n$/);
  const UPLOAD_ID = uploaded.split(' ')[0];
  t.match(await run('build', { UPLOAD_ID }), /tested\s[\s\S]*succeeded 0 undefined\nreport\.txt 5\n$/);
  t.match(await run('build', { UPLOAD_ID: 'up_unknown' }), /^upload_not_found /);
  t.match(await run('change'), /^reset done null\n$/);
  t.match(await run('secret', { UPLOAD_ID }), /<\*\*\*>/);
  const receiver = await startReceiver(t);
  t.equal(await run('webhook', { RECEIVER_URL: receiver.url }), "whsec_\ntrue [ 'build.failed', 'build.stalled' ]\n");
  t.match(await run('rent'), /^10000 won, please pay: http:\S+\/pay\/RT-[\w-]+\nawaiting_payment\n$/);
});

t.test('the examples are right in strict TypeScript', async (t) => {
  const examples = ['libraries', 'webhooks'].flatMap((page) => [
    ...readFileSync(join(root, `docs/${page}.md`), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g),
  ]);
  // One of the examples is about running the control plane and the host agent.
  const ofClient = examples.filter(([, source = '']) => source.includes("'cidermill/client'"));
  t.equal(ofClient.length, examples.length - 1);
  const files = new Map(
    ofClient.map(([, source = ''], index) => [
      // Beside the sources: compiling for tests writes no declarations.
      `${root}example-${index}.mts`,
      source.replaceAll("'cidermill/client'", "'./client/index.js'"),
    ]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
    resolveJsonModule: true,
    typeRoots: [`${root}node_modules/@types`],
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...rest) => {
    const source = files.get(path);
    return source === undefined ? getSourceFile(path, target, ...rest) : ts.createSourceFile(path, source, target);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  // Of the examples alone: `npm run check` checks the client itself.
  const complaints = [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  t.same(
    complaints.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    [],
  );
});
