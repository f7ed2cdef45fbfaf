// Builds that run only on Macs of hosts with certain labels.
import t from 'tap';
import { fits, waitReasonOf } from '../../control-plane/builds/domain/placement.js';
import { queueClassOf } from '../../control-plane/builds/domain/queue.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { macAt, waiting } from '../harness/macs-and-builds.js';

async function start(t: Parameters<typeof startHarness>[0]) {
  const h = await startHarness(t);
  const plain = await startBuildHost(h, { macs: 1, tier: 'm4' });
  const beta = await startBuildHost(h, { macs: 1, tier: 'beta' });
  const label = (host: { hostId: string }, labels: Record<string, string | null>) =>
    h.hosts.configure(host.hostId, { labels });
  await label(plain, { rack: '3' });
  await label(beta, { 'xcode-beta': 'yes', rack: '3' });
  return { h, plain, beta, label };
}

const submit = async (h: Harness, labels: unknown, more = {}) => {
  const answer = await h.call('POST', '/builds', { body: { script: 'true', repo: 'a/b', labels, ...more } });
  return { code: answer.statusCode, ...answer.json() };
};
const one = async (h: Harness, id: string) => (await h.call('GET', `/builds/${id}`)).json();

t.test('a build runs only on a Mac whose host has all of its labels', async (t) => {
  const { h, plain, beta } = await start(t);
  const first = await submit(h, { 'xcode-beta': 'yes', rack: '3' });
  t.match(first, { code: 201, labels: { 'xcode-beta': 'yes', rack: '3' } });
  await h.workers.idle();
  t.match(await one(h, first.id), { status: 'running', rental_public_id: beta.rentals[0] });
  const second = await submit(h, { 'xcode-beta': 'yes' });
  await h.workers.idle();
  t.match(await one(h, second.id), { status: 'queued', wait_reason: 'mac_busy' }, 'although another Mac is free');
  const third = await submit(h, {});
  await h.workers.idle();
  t.match(await one(h, third.id), { status: 'running', rental_public_id: plain.rentals[0], labels: {} });
  await beta.finish(first.id);
  await h.workers.idle();
  t.match(await one(h, second.id), { status: 'running', rental_public_id: beta.rentals[0] });
});

t.test('labels that no Mac has are refused, with those that there are', async (t) => {
  const { h, plain } = await start(t);
  const message = 'No Mac of the account has the labels gpu=yes. There are: rack=3, xcode-beta=yes.';
  t.match(await submit(h, { gpu: 'yes' }), {
    code: 400,
    error: { code: 'invalid_build', message },
  });
  t.match(await submit(h, { 'xcode-beta': 'no' }), { code: 400, error: { code: 'invalid_build' } });
  t.match(await submit(h, { 'xcode-beta': 'yes' }, { rental_id: plain.rentals[0] }), {
    code: 400,
    error: { message: /That Mac does not have the labels xcode-beta=yes\. There are: rack=3/ },
  });
  t.match(await submit(h, { gpu: 'yes' }, { queue_until_rental: true }), {
    code: 201,
    wait_reason: 'xcode_unavailable',
  });
  for (const bad of [[], 'rack=3', { rack: 3 }, { 'Rack 3': 'x' }, { rack: '' }, { rack: '\u001b[2J' }]) {
    t.match(await submit(h, bad), { code: 400, error: { code: 'invalid_build' } }, JSON.stringify(bad));
  }
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`l${i}`, 'x']));
  t.match(await submit(h, many), { code: 400, error: { code: 'invalid_build' } });
});

t.test('a waiting build starts when a host gets the labels', async (t) => {
  const { h, plain, label } = await start(t);
  const { id } = await submit(h, { gpu: 'yes' }, { queue_until_rental: true });
  await h.workers.idle();
  t.match(await one(h, id), { status: 'queued', wait_reason: 'xcode_unavailable' });
  await label(plain, { gpu: 'yes' });
  await h.workers.idle();
  t.match(await one(h, id), { status: 'running', rental_public_id: plain.rentals[0] });
  t.match((await h.call('GET', '/rentals')).json().rentals, [
    { labels: { gpu: 'yes', rack: '3' } },
    { labels: { 'xcode-beta': 'yes' } },
  ]);
});

t.test('a waiting build follows labels from one host to another', async (t) => {
  const { h, plain, beta, label } = await start(t);
  const first = await submit(h, { 'xcode-beta': 'yes' });
  const second = await submit(h, { 'xcode-beta': 'yes' });
  await h.workers.idle();
  t.match(await one(h, second.id), { status: 'queued', wait_reason: 'mac_busy' });
  await label(beta, { 'xcode-beta': null });
  await h.workers.idle();
  t.match(await one(h, second.id), { status: 'queued', wait_reason: 'xcode_unavailable' });
  t.match(await one(h, first.id), { status: 'running' }, 'what runs goes on');
  await label(plain, { 'xcode-beta': 'yes' });
  await h.workers.idle();
  t.match(await one(h, second.id), { status: 'running', rental_public_id: plain.rentals[0] });
});

t.test('labels belong to the queue class, in any order', async (t) => {
  const of = (labels: Record<string, string>) => queueClassOf(waiting('rb_1', 1, { labels }));
  t.equal(of({ a: '1', b: '2' }), of({ b: '2', a: '1' }));
  t.equal(new Set([of({}), of({ a: '1' }), of({ a: '2' }), of({ b: '1' }), of({ a: '1', b: '2' })]).size, 5);
  t.equal(of({}), '["key_1","",""]', 'as of builds that were accepted before there were labels');
  const mac = macAt('rt_1', { labels: { a: '1', constructor: 'x' } });
  for (const [labels, fit] of [
    [{}, true],
    [{ a: '1' }, true],
    [{ a: '2' }, false],
    [{ a: '1', b: '2' }, false],
    [{ tostring: 'x' }, false],
  ] as const) {
    t.equal(fits(mac, waiting('rb_1', 1, { labels })), fit, JSON.stringify(labels));
  }
  const build = waiting('rb_1', 1, { labels: { z: '1' } });
  t.equal(waitReasonOf(build, [mac], new Map(), defaultLimits), 'xcode_unavailable');
});
