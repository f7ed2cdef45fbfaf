// A host that misbehaves in every way the link allows: the service keeps running, no data of others changes, and stored data
// is clean and bounded.
// Runs in: soak
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { CLOSE } from '../../shared/protocol/index.js';
import { HIDDEN } from '../harness/hidden-text.js';
import {
  hello,
  inventory,
  type MaliciousHost,
  type RawLink,
  resultOf,
  startMaliciousHost,
} from '../harness/malicious-host.js';
import { sha256 } from '../harness/sha256.js';
import { stride } from '../harness/soak.js';
import { until } from '../harness/until.js';
import {
  everything,
  fact,
  HASH,
  hostileImage,
  hostileResult,
  macFact,
  mutations,
  usualHealth,
  usualResult,
  usualUpgrade,
  xcode,
} from './hostile-messages.js';
import { type BodyInit, brokenPut, encoded, json, octets, put } from './hostile-requests.js';

const MB = 1024 * 1024;
const blocked = { code: 'disk_full', message: 'no room' };

interface Scene {
  readonly t: Test;
  readonly m: MaliciousHost;
  /** Running builds: on the malicious host, on another host of its account, and of another account. */
  readonly own: string;
  readonly sibling: string;
  readonly foreign: string;
}

/** Opens a connection, sends, and returns how it ended. */
async function say(m: MaliciousHost, send: (link: RawLink) => void | Promise<void>, greet = true): Promise<number> {
  const link = await m.connect();
  if (greet) await link.greet();
  await send(link);
  return link.end();
}

/** What the host does. Each function returns the close codes of its connections. */
const misbehaviors: Record<string, (scene: Scene) => Promise<readonly number[]>> = {
  async 'messages with every leaf replaced by hostile values'({ m, foreign }) {
    const [slot = '', rental = ''] = ['slot_x', m.victim.rentals[0]];
    const samples: unknown[] = [
      { ...hello, builds: [fact(foreign)], macs: [macFact(slot, rental)] },
      {
        type: 'inventory',
        draining: false,
        health: usualHealth,
        inventory: { ...inventory, macos: '26.1', chip: 'M4', xcodes: [xcode], blocked },
      },
      { type: 'facts', builds: [fact(foreign)], macs: [macFact(slot, rental)] },
      { type: 'facts', builds: [], macs: [], images: [hostileImage()], upgrade: usualUpgrade },
      { type: 'build_finished', build_id: foreign, attempt: 1, result: usualResult },
    ];
    const codes = new Set<number>();
    for (const sample of samples) {
      const first = (sample as { type: string }).type === 'hello';
      let link = await m.connect();
      if (!first) await link.greet();
      let sent = 0;
      let turn = 0;
      for (const message of mutations(sample)) {
        // By default every fortieth value is taken, different ones of each message.
        if (turn++ % stride(40) !== 0) continue;
        link.send(message);
        if (!first && ++sent % 5 !== 0) continue;
        codes.add(await link.end());
        link = await m.connect();
        if (!first) await link.greet();
      }
      codes.add(await link.end());
    }
    return [...codes];
  },

  async 'frames that are not messages'({ m }) {
    const frames: unknown[] = [
      '{',
      '',
      'null',
      '[]',
      '"x"',
      `${'['.repeat(500_000)}`,
      '{"type":"hello"}',
      Buffer.alloc(0),
      Buffer.from([0, 0, 0]),
      Buffer.from([255, 255, 255, 255]),
      Buffer.alloc(100_000, 0x7b),
      `{"type":"facts","builds":[],"macs":[],"__proto__":{"x":1},"pad":"${'x'.repeat(20 * MB)}"}`,
    ];
    const codes: number[] = [];
    for (const frame of frames) codes.push(await say(m, (link) => link.send(frame)));
    codes.push(await say(m, (link) => link.send(Buffer.alloc(40 * MB, 0x20))));
    return codes;
  },

  async 'reports and output of builds and Macs of others'({ m, sibling, foreign }) {
    const { macs: victimMacs } = { macs: await m.victim.macs() };
    const { macs: honestMacs } = { macs: await m.honest.macs() };
    const codes: number[] = [];
    for (const id of [foreign, sibling, 'rb_none']) {
      codes.push(
        await say(m, async (link) => {
          for (const state of ['starting', 'running', 'finished', 'absent'])
            link.send({ type: 'facts', builds: [fact(id, { state })], macs: [] });
          await link.output({ build_id: id }, Buffer.from('forged'));
          await link.output({ build_id: id, offset: 7 }, Buffer.from('forged'));
          link.send({ type: 'build_finished', build_id: id, attempt: 1, result: resultOf(Buffer.alloc(0)) });
        }),
      );
    }
    for (const { slot_id, rental_id } of [...victimMacs, ...honestMacs]) {
      for (const state of ['empty', 'preparing', 'ready', 'failed'])
        codes.push(
          await say(m, (link) =>
            link.send({ type: 'facts', builds: [], macs: [macFact(slot_id, rental_id, { state })] }),
          ),
        );
    }
    return codes;
  },

  async 'stale and future attempts of its own build'({ t, m, own }) {
    const codes: number[] = [];
    for (const attempt of [2, 3, 2 ** 31]) {
      codes.push(
        await say(m, async (link) => {
          link.send({ type: 'facts', builds: [fact(own, { attempt, state: 'absent' })], macs: [] });
          await link.output({ build_id: own, attempt }, Buffer.from('stale'));
          const result = resultOf(Buffer.alloc(0));
          link.send({ type: 'build_finished', build_id: own, attempt, result });
        }),
      );
    }
    t.equal((await m.h.call('GET', `/builds/${own}`)).json().status, 'running');
    return codes;
  },

  async 'wrong offsets and lengths'({ t, m, own }) {
    const log = async () => (await m.h.call('GET', `/builds/${own}/log`)).body;
    const codes: number[] = [];
    const outputs: [offset: number, text: string][] = [
      [0, 'first line\n'],
      ...([2 ** 52, 3, 0, -1, 0.5].map((offset) => [offset, 'REWRITE']) as [number, string][]),
    ];
    for (const [offset, text] of outputs)
      codes.push(await say(m, (link) => link.output({ build_id: own, offset }, Buffer.from(text))));
    t.equal(await log(), 'first line\n', 'stored output is unchanged');
    const link = await m.connect();
    await link.greet();
    const results = [
      { bytes: 2 ** 52, sha256: HASH },
      { bytes: 11, sha256: HASH },
      { bytes: 0, sha256: HASH },
    ];
    for (const { bytes, sha256: hash } of results) {
      const log = { bytes, sha256: hash, omitted_bytes: 2 ** 52, possibly_truncated: true };
      const result = hostileResult(Buffer.alloc(0), { log });
      link.send({ type: 'build_finished', build_id: own, attempt: 1, result });
    }
    await until(() => link.received.some(({ type }) => type === 'finished_ack'), 'an answer');
    codes.push(await link.end());
    t.equal((await m.h.call('GET', `/builds/${own}`)).json().status, 'running');
    return codes;
  },

  async 'artifacts of others, hostile names and wrong body lengths'({ t, m, own, sibling, foreign }) {
    for (const id of [sibling, foreign, 'rb_none', '..%2f..%2fx']) {
      const answers = [
        await put(m, id, 'a.txt', 'x', { 'x-sha256': sha256('x') }),
        await m.request(`/builds/${id}/1/artifacts`, octets(`${sha256('x')} 1 a.txt\nx`)),
        await m.request(`/builds/${id}/1/manifest`),
        await m.request(`/builds/${id}/1/blobs`, { ...json({ sha256: [HASH] }) }),
      ];
      t.ok(
        answers.every(({ status }) => status === 404 || status === 400),
        id,
      );
    }
    const names = ['../up', '/etc/x', '.git/config', 'a\nb', 'a\0b', everything, '\u202etxt.exe', '', 'x'.repeat(3000)];
    for (const name of names) {
      t.match(await put(m, own, name, 'x', { 'x-sha256': sha256('x') }), {
        status: 400,
        body: /invalid_artifact/,
      });
      const record = `${sha256('x')} 1 ${encoded(name)}\nx`;
      const sent = await m.request(`/builds/${own}/1/artifacts`, octets(record));
      t.match(sent.body, name === '' ? /A record begins/ : /"code":"invalid_artifact"/);
    }
    t.match(await put(m, own, 'a', 'x'), { status: 400 }, 'wrong hash');
    const bodies = [
      '',
      'x',
      `${HASH} 5 a\nx`,
      `${HASH} 99999999999999999 a\nx`,
      'a'.repeat(200_000),
      `${HASH} 1 %ff\nx`,
    ];
    for (const body of bodies) {
      const { status } = await m.request(`/builds/${own}/1/artifacts`, octets(body));
      t.ok(status === 400 || (body === '' && status === 200), `${body.slice(0, 90)}: ${status}`);
      t.equal((await m.request('/enrol', json({}))).status, 400, 'the connection can be used again');
    }
    const many = `${sha256('')} 0 ../up\n`.repeat(defaultLimits.artifact_files + 1);
    t.match(await m.request(`/builds/${own}/1/artifacts`, octets(many)), {
      status: 413,
      body: /payload_too_large/,
    });
    const huge = await put(m, own, 'a', Readable.toWeb(Readable.from(['x'])) as BodyInit, {
      'content-length': '1',
    }).catch(() => ({ status: 400 }));
    t.equal(huge.status, 400);
    await brokenPut(m, own, '1000000', 'only this');
    await brokenPut(m, own, '99999999999999', 'only this');
    t.same(await m.h.store.all('SELECT name FROM files WHERE build_id = :own', { own }), []);
    return [];
  },

  async 'floods of facts, invented builds, Macs, commits and pings'({ t, m, own, foreign }) {
    const statuses = async () => (await m.h.store.all('SELECT 1 FROM commit_statuses')).length;
    const before = await statuses();
    const flood = await say(m, (link) => {
      for (let n = 0; n < 3_000; n++) {
        const commit = n.toString(16).padStart(40, '0');
        link.send({
          type: 'facts',
          builds: [fact(own, { last_output_at: n, commit_sha: commit })],
          macs: [],
        });
      }
    });
    t.ok((await statuses()) - before <= 1, 'an attempt has only one commit');
    const macs = await say(m, (link) => {
      for (let n = 0; n < 200; n++) {
        const all = Array.from({ length: 1000 }, (_, i) => macFact(`slot_${n}_${i}`, 'rt_x'));
        link.send({ type: 'facts', builds: [], macs: all });
      }
    });
    const invented = await say(m, (link) => {
      for (let n = 0; n < 1000; n++) {
        link.send({ type: 'facts', builds: [fact(`rb_invented${n}`)], macs: [] });
        void link.output({ build_id: `rb_invented${n}` }, Buffer.alloc(1000));
      }
    });
    const named = await say(
      m,
      (link) => link.send({ ...hello, builds: Array.from({ length: 900 }, (_, n) => fact(`rb_named${n}`)) }),
      false,
    );
    const texts = await say(m, (link) => {
      for (let n = 0; n < 300; n++)
        link.send({
          type: 'inventory',
          inventory: { ...inventory, hostname: `${n}${everything}` },
          draining: n % 2 === 0,
        });
      link.send({ type: 'facts', builds: [fact(foreign)], macs: [] });
    });
    return [flood, macs, invented, named, texts];
  },

  async 'images, contents of images and blocks'({ t, m }) {
    const { tiers } = m.h.parts.orders;
    const long = Array(2000).fill(`16.2${everything}${'x'.repeat(300)}`);
    const offers = {
      macos: everything,
      runtimes: long,
      tools: long,
      xcodes: long.map((version) => ({ version, build: version })),
    };
    const digests = Array.from({ length: 900 }, (_, n) => `sha256:${n.toString(16).padStart(64, '0')}`);
    const codes = [
      await say(
        m,
        (link) => {
          const all = digests.map((digest) => hostileImage({ digest, error: everything }));
          link.send({ ...hello, images: [...all, hostileImage({ image: 'other' })] });
        },
        false,
      ),
      await say(m, (link) => link.send({ type: 'facts', builds: [], macs: [], images: [hostileImage({ offers })] })),
      await say(m, (link) => {
        for (let n = 0; n < 300; n++) {
          const images = [hostileImage({ digest: digests[n % 9], percent: n % 100 })];
          link.send({ type: 'facts', builds: [], macs: [], images });
          const message = `${n}${everything}`.repeat(100);
          link.send({
            type: 'inventory',
            inventory: { ...inventory, blocked: { ...blocked, message } },
            draining: false,
          });
        }
      }),
    ];
    for (const tier of ['m4', 'm2'])
      t.match(await tiers.show(tier), { imageDigest: null, xcodeVersions: ['16.2', '16.1'], tools: [] }, tier);
    const evil = await tiers.show('evil');
    t.ok(evil.xcodeVersions.length <= 100 && evil.tools.length <= 200);
    t.notMatch(JSON.stringify(evil), HIDDEN);
    for (const table of ['host_images', 'image_offers'])
      t.ok((await m.h.store.all(`SELECT 1 FROM ${table}`)).length <= 3, table);
    return codes;
  },

  async 'machines that enrol with hostile names'({ t, m }) {
    for (const hostname of [everything, '', 'x'.repeat(100_000), '../../etc', 'a\nb\x1b[31m']) {
      const { token } = await m.h.hosts.createEnrolment({ tier: 'evil', slots: 1 });
      const answer = await m.request('/enrol', json({ token, hostname }));
      t.equal(answer.status, 201);
      t.notMatch(JSON.parse(answer.body).name, HIDDEN);
      t.ok(JSON.parse(answer.body).name.length <= 253);
      t.equal((await m.request('/enrol', json({ token, hostname }))).status, 401, 'a token can be used once');
    }
    for (const token of ['', 'x\n', 'x'.repeat(10_000), null])
      t.ok([400, 401].includes((await m.request('/enrol', json({ token, hostname: 'x' }))).status));
    return [];
  },

  async 'a result full of hostile texts, twice, and another one after it'({ t, m, own }) {
    const log = Buffer.from('first line\n');
    const link = await m.connect();
    await link.greet();
    await link.output({ build_id: own }, log);
    const result = hostileResult(log);
    const acknowledged = () => link.received.filter(({ type }) => type === 'finished_ack').length;
    for (const [n, one] of [result, result, resultOf(log, { exit_code: 0 })].entries()) {
      link.send({ type: 'build_finished', build_id: own, attempt: 1, result: one });
      await until(() => acknowledged() > n, 'an acknowledgment');
    }
    const code = await link.end();
    const { body } = await m.h.call('GET', `/builds/${own}`);
    const { status, warnings, failure } = JSON.parse(body);
    t.equal(status, 'failed', 'the first result counts');
    t.equal(warnings.length, 100);
    t.equal(warnings.at(-1), '4901 more warnings.');
    t.ok(failure.summary.length <= 600);
    t.notMatch(JSON.stringify([warnings, failure]), HIDDEN);
    t.ok(body.length < 100_000, `${body.length} bytes of JSON`);
    return [code];
  },
};

async function healthy(t: Test, { m }: Scene): Promise<void> {
  t.equal((await m.h.inject({ method: 'GET', url: '/healthz' })).statusCode, 200);
  t.equal((await m.h.call('GET', '/status')).statusCode, 200);
  t.equal((await m.h.call('GET', '/builds', { key: m.h.other.key })).statusCode, 200);
}

t.test('a malicious host cannot affect other hosts and accounts', async (t) => {
  const m = await startMaliciousHost(t);
  for (const tier of ['evil', 'm4', 'm2'])
    await m.h.parts.orders.tiers.edit(tier, { image: 'macos:26', xcodeVersions: 'auto' });
  const scene: Scene = {
    t,
    m,
    own: await m.build(m.evil),
    sibling: await m.build(m.honest),
    foreign: await m.build(m.victim),
  };
  await m.honest.output(scene.sibling, 'honest\n');
  await m.victim.output(scene.foreign, 'victim\n');
  const before = await m.others();
  // In any order: the ids are random.
  t.match(before, /honest\\n/);
  t.match(before, /victim\\n/);
  const first = await m.databaseBytes();
  for (const [name, does] of Object.entries(misbehaviors)) {
    const codes = await does(scene);
    await m.h.workers.idle();
    await healthy(t, scene);
    t.strictSame((await m.others()).split('\n'), before.split('\n'), `${name}: no data of others changes`);
    t.same(await m.hiddenTexts(), [], `${name}: stored data is clean`);
    const grown = (await m.databaseBytes()) - first;
    t.ok(grown < 2 * MB, `${name}: the database grew by ${grown} bytes`);
    // 1009: message too large.
    const known = [CLOSE.invalidMessage, CLOSE.protocolMismatch, 1009];
    t.same(
      codes.filter((code) => !known.includes(code)),
      [],
      `${name}: no internal error`,
    );
  }
  t.equal(await m.victim.finish(scene.foreign, { exit_code: 0 }), null);
  const ended = await m.h.call('GET', `/builds/${scene.foreign}`, { key: m.h.other.key });
  t.equal(ended.json().status, 'succeeded', 'the honest build succeeds');
  const { rss } = process.memoryUsage();
  t.ok(rss < 1500 * MB, `${Math.round(rss / MB)} MB of memory`);
});
