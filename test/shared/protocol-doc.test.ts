import { readFileSync } from 'node:fs';
import t from 'tap';
import { agentMessage, CLOSE, commonProtocol, controlMessage, OWN_PROTOCOLS } from '../../shared/protocol/index.js';

const page = readFileSync(new URL('../../../docs/protocol.md', import.meta.url), 'utf8');
const firstCells = [...page.matchAll(/^\| (?:host|control plane) \| `(\w+)`/gm)].map((match) => match[1]);

t.test('docs/protocol.md names every message and every close code, and no other', async (t) => {
  const types = [...agentMessage.options, ...controlMessage.options].map((o) => o.shape.type.value);
  t.same(firstCells.toSorted(), types.toSorted());
  const codes = [...page.matchAll(/^\| (\d{4}) \|/gm)].map((match) => Number(match[1]));
  t.same(codes, Object.values(CLOSE).toSorted());
});

t.test('two ends agree on the newest common protocol version', async (t) => {
  for (const oldestA of [1, 2, 3]) {
    for (const newestA of [3, 4]) {
      for (const oldestB of [1, 3, 4, 5]) {
        for (const newestB of [5, 6]) {
          const a = { oldest: oldestA, newest: newestA };
          const b = { oldest: oldestB, newest: newestB };
          const both = [1, 2, 3, 4, 5, 6].filter((v) => v >= oldestA && v <= newestA && v >= oldestB && v <= newestB);
          t.equal(commonProtocol(a, b), both.at(-1) ?? null);
          t.equal(commonProtocol(b, a), both.at(-1) ?? null);
        }
      }
    }
  }
  t.equal(commonProtocol(OWN_PROTOCOLS, OWN_PROTOCOLS), OWN_PROTOCOLS.newest);
});
