// The first request for a reference document, which is made then, lets others through.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { turnsDuring } from '../harness/turns-during.js';

/** Sections of a document are many more. */
const TURNS = 5;

t.test('a reference document is made in steps, once for all who ask meanwhile', async (t) => {
  const h = await startHarness(t);
  for (const url of ['/api/v1/openapi.json', '/api/v1/openapi.json?form=full', '/api/runner/openapi.json']) {
    const [answers, turns] = await turnsDuring(Promise.all([1, 2, 3].map(() => h.inject({ url }))));
    t.ok(turns > TURNS, `${url}: ${turns} turns`);
    t.same([...new Set(answers.map(({ statusCode }) => statusCode))], [200]);
    t.equal(new Set(answers.map(({ body }) => body)).size, 1);
  }
});
