// What a person reads beside a field: every code in both languages, and which field a problem belongs to.
import t from 'tap';
import { failureOf, problemsIn } from '../../control-plane/console/data/failure.js';
import { asSentence, isWithin, ownerOf } from '../../control-plane/console/design/field-path.js';
import { fieldProblem, fieldProblems } from '../../shared/messages/field-problems.js';
import { say } from '../../shared/messages/message.js';

const sampleOf = (kind: unknown): string | number => {
  if (Array.isArray(kind)) return String(kind[0]);
  return kind === 'number' ? 3 : 'x1';
};

t.test('every code is a sentence in English and Korean', async (t) => {
  const codes = Object.entries(fieldProblems);
  t.ok(codes.length > 50, `${codes.length} codes`);
  for (const [code, { kinds }] of codes) {
    const params = Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, sampleOf(kind)]));
    const problem = { code, params, text: 'unused' };
    const [en, ko] = (['en', 'ko'] as const).map((language) =>
      asSentence(say(fieldProblems, language, problem), Object.values(params)),
    );
    t.match(en, /^[A-Zx].*[.?]$/, `${code}: ${en}`);
    t.notMatch(en, /[가-힣]|unused/, code);
    t.match(ko, /[가-힣].*[.?]$/, `${code}: ${ko}`);
    t.notMatch(ko, /unused/, code);
  }
});

t.test('a sentence keeps a value at its beginning as it is', async (t) => {
  t.equal(asSentence('must be at least 1', [1]), 'Must be at least 1.');
  t.equal(asSentence('mac is in use', ['mac']), 'mac is in use.');
  t.equal(asSentence('unknown; did you mean x?', ['x']), 'Unknown; did you mean x?');
});

t.test('a problem belongs to the most particular field', async (t) => {
  t.equal(isWithin('levels.0', 'levels'), true);
  t.equal(isWithin('levels_old', 'levels'), false);
  t.equal(ownerOf('names.1', ['names', 'names.1', 'hours']), 'names.1');
  t.equal(ownerOf('names', ['names.1']), null);
  t.equal(ownerOf('slots', ['set.slots', 'set.tier']), 'set.slots');
  t.equal(ownerOf('', ['name']), null, 'the whole body is no field');
});

t.test('problems of both APIs, and of a service without codes', async (t) => {
  const { text, params } = fieldProblem('too_long', { most: 60 });
  const problem = { field: 'name', path: 'name', code: 'too_long', params, text };
  const error = {
    code: 'invalid_request',
    message: 'x',
    request_id: 'r',
    details: { fields: ['name'], problems: [problem] },
  };
  t.same(problemsIn(failureOf(400, { error }, null)), [{ path: 'name', code: 'too_long', params, text }]);
  const agent = {
    code: 'invalid_order',
    message: 'x',
    fields: [{ path: 'hours', message: text, code: 'too_long', params, text }],
  };
  t.same(problemsIn(failureOf(400, { error: agent }, null)), [{ path: 'hours', code: 'too_long', params, text }]);
  const old = { code: 'invalid_build', message: 'x', fields: [{ path: 'ref', message: 'Too long.' }] };
  t.same(problemsIn(failureOf(400, { error: old }, null)), [
    { path: 'ref', code: null, params: {}, text: 'Too long.' },
  ]);
  t.same(problemsIn(failureOf(500, { error: { code: 'x', details: { fields: ['name'] } } }, null)), []);
  t.same(problemsIn(new Error('x')), []);
});
