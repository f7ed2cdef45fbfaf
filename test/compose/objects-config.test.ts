import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readConfig } from '../../control-plane/config.js';
import { ConfigError } from '../../control-plane/config-error.js';

const key = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a/Secret+Key' };
const objectsOf = (environment: Record<string, string>) => readConfig(environment).objects;

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

t.test('objects stay in the data folder unless another place is named', async (t) => {
  t.equal(objectsOf({ ...key, CIDERMILL_S3_REGION: 'eu-west-1' }), null);
});

t.test('a shared folder is an absolute path', async (t) => {
  t.same(objectsOf({ CIDERMILL_OBJECTS: 'file:///mnt/shared/' }), { kind: 'folder', path: '/mnt/shared' });
  t.same(objectsOf({ CIDERMILL_OBJECTS: 'file:///mnt/with%20space' }), { kind: 'folder', path: '/mnt/with space' });
  for (const wrong of [
    '/mnt/shared',
    'file://host/mnt',
    'file:///',
    'file:///a?b',
    's3:/bucket',
    'https://s3.example',
  ]) {
    t.match(problemsOf({ CIDERMILL_OBJECTS: wrong }), [/^CIDERMILL_OBJECTS: expected s3:\/\/BUCKET/], wrong);
  }
});

t.test('a bucket of AWS needs no address, another store is addressed with the bucket in the path', async (t) => {
  const objects = { CIDERMILL_OBJECTS: 's3://mill-objects', ...key };
  t.same(objectsOf({ ...objects, CIDERMILL_S3_REGION: 'eu-central-1' }), {
    kind: 's3',
    bucket: 'mill-objects',
    prefix: '',
    endpoint: 'https://s3.eu-central-1.amazonaws.com',
    region: 'eu-central-1',
    pathStyle: false,
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'a/Secret+Key',
    sessionToken: null,
  });
  const own = { ...objects, CIDERMILL_OBJECTS: 's3://mill/a/b/', CIDERMILL_S3_ENDPOINT: 'http://10.0.0.9:8080/' };
  t.match(objectsOf(own), { bucket: 'mill', prefix: 'a/b/', endpoint: 'http://10.0.0.9:8080', pathStyle: true });
  t.match(objectsOf({ ...own, CIDERMILL_S3_PATH_STYLE: 'false' }), { pathStyle: false });
});

t.test('the secret can be in a file', async (t) => {
  const file = join(t.testdir(), 'secret');
  writeFileSync(file, 'of-the-file\n');
  const { AWS_ACCESS_KEY_ID } = key;
  const environment = { CIDERMILL_OBJECTS: 's3://mill', AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY_FILE: file };
  t.match(objectsOf(environment), { secretAccessKey: 'of-the-file' });
  t.match(problemsOf({ ...environment, ...key }), [/^AWS_SECRET_ACCESS_KEY_FILE: must not be set together/]);
  t.match(problemsOf({ ...environment, AWS_SECRET_ACCESS_KEY_FILE: `${file}-none` }), [
    /_FILE: .*secret-none: ENOENT$/,
  ]);
});

t.test('temporary credentials have a token, which can be in a file', async (t) => {
  const file = join(t.testdir(), 'token');
  writeFileSync(file, 'of-the-file\n');
  const environment = { CIDERMILL_OBJECTS: 's3://mill', ...key };
  t.match(objectsOf({ ...environment, AWS_SESSION_TOKEN: 'to/ken+==' }), { sessionToken: 'to/ken+==' });
  const withFile = { ...environment, AWS_SESSION_TOKEN_FILE: file };
  t.match(objectsOf(withFile), { sessionToken: 'of-the-file' });
  t.match(problemsOf({ ...withFile, AWS_SESSION_TOKEN: 'x' }), [/^AWS_SESSION_TOKEN_FILE: must not be set together/]);
  t.match(problemsOf({ ...withFile, AWS_SESSION_TOKEN_FILE: `${file}-none` }), [/token-none: ENOENT$/]);
  const hidden = problemsOf({ ...environment, AWS_SESSION_TOKEN: 'with hidden space' });
  t.match(hidden, [/^AWS_SESSION_TOKEN: expected visible/]);
  t.notMatch(hidden.join(), 'hidden');
});

t.test('what is missing or wrong is reported without quoting credentials', async (t) => {
  t.match(problemsOf({ CIDERMILL_OBJECTS: 's3://mill' }), [
    /^AWS_SECRET_ACCESS_KEY: or/,
    /^AWS_ACCESS_KEY_ID: is needed/,
  ]);
  const wrong = problemsOf({
    CIDERMILL_OBJECTS: 's3://mill.example',
    CIDERMILL_S3_ENDPOINT: 'http://user:hidden@10.0.0.9',
    CIDERMILL_S3_PATH_STYLE: 'yes',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'with hidden space',
  });
  t.match(wrong.join('\n'), /CIDERMILL_S3_ENDPOINT: .*\n.*AWS_SECRET/s);
  t.notMatch(wrong.join('\n'), 'hidden');
  for (const bucket of ['s3://', 's3://B', 's3://a', 's3://mill/../x', 's3://mill//x', 's3://mill/ä']) {
    t.match(problemsOf({ CIDERMILL_OBJECTS: bucket, ...key }), [/^CIDERMILL_OBJECTS: expected/], bucket);
  }
});
