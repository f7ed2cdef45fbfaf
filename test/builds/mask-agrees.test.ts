// What the service says of a secret when it is set, against what hosts do with it.
import fc from 'fast-check';
import t from 'tap';
import { isMasked } from '../../control-plane/builds/domain/secret.js';
import { compileNeedles, maskText } from '../../host-agent/runner/mask/masker.js';

t.test('the service says of a value that it is masked exactly when hosts mask it', async (t) => {
  const hides = (value: string) => maskText(`<${value}>`, compileNeedles([{ name: 'S', value }])).includes('***');
  for (const value of [
    '   ',
    ' '.repeat(40),
    '\n\n\n\n',
    'a  ',
    '  ab',
    'a b',
    'a    b',
    'ab',
    'abc',
    'é',
    'éa',
    'a         ',
  ]) {
    t.equal(isMasked(Buffer.from(value)), hides(value), JSON.stringify(value));
  }
  const letters = fc.constantFrom('a', 'b', ' ', '\t', '\n', '\r', 'é');
  fc.assert(
    fc.property(
      fc.string({ unit: letters, minLength: 1, maxLength: 12 }),
      (value) => isMasked(Buffer.from(value)) === hides(value),
    ),
    { numRuns: 2_000 },
  );
});
