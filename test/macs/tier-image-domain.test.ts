// Images of tiers, as tables of pure decisions.
import t from 'tap';
import type { Tier } from '../../control-plane/macs/domain/tier.js';
import {
  fromImage,
  holdsImage,
  imageSet,
  namedImages,
  newestStable,
  pinnedDigest,
  relevantFacts,
  resolvedBy,
  sameOffers,
  withOffers,
} from '../../control-plane/macs/domain/tier-image.js';
import type { ImageFact } from '../../shared/protocol/index.js';
import { digestOf, imageFact, offers } from '../harness/images.js';
import { m4 } from '../harness/samples.js';

const [A, B, C] = [digestOf('a'), digestOf('b'), digestOf('c')];
const tierWith = (given: Partial<Tier> = {}): Tier => ({
  ...m4,
  image: 'macos:26',
  fromImage,
  spec: { chip: '', cpu_cores: 4, memory_gb: 8, disk_gb: 100, macos: '' },
  ...given,
});
const image = (image: string | null, imageDigest: string | null, replacedDigest: string | null = null) => ({
  image,
  imageDigest,
  replacedDigest,
});

t.test('a digest in the name of an image needs no host', async (t) => {
  t.equal(pinnedDigest(`ghcr.io/o/n@${A}`), A);
  for (const name of ['ghcr.io/o/n:26', 'ghcr.io/o/n@sha256:12', `x@${A}y`]) t.equal(pinnedDigest(name), null);
});

t.test('an image is resolved again whenever it is set', async (t) => {
  t.same(imageSet(image(null, null), 'x:1'), image('x:1', null), 'the first image');
  t.same(imageSet(image('x:1', A), 'x:2'), image('x:2', null), 'another tag');
  t.same(imageSet(image('x:1', A), 'x:1'), image('x:1', null, A), 'the same tag');
  t.same(imageSet(image('x:1', null, A), 'x:1'), image('x:1', null, A), 'and again before it was resolved');
  t.same(imageSet(image('x:1', A), `x@${B}`), image(`x@${B}`, B), 'a digest');
  t.same(imageSet(image('x:1', A), null), image(null, null), 'none');
});

t.test('the first complete image of a host resolves the tag, unless it may be older than the change', async (t) => {
  for (const state of ['absent', 'pulling', 'ready', 'failed'] as const) {
    for (const before of [undefined, 'absent', 'pulling', 'ready', 'failed'] as const) {
      for (const digest of [null, A, B]) {
        for (const replaced of [null, A]) {
          const fact = imageFact({ state, digest });
          const seen = before && { state: before };
          const found = resolvedBy(image('macos:26', null, replaced), fact, seen);
          const fresh = digest !== replaced || (before !== undefined && before !== 'ready');
          const name = `${before} then ${state} ${digest?.at(-1)}, before the change ${replaced?.at(-1)}`;
          t.equal(found, state === 'ready' && fresh ? digest : null, name);
        }
      }
    }
  }
  t.equal(resolvedBy(image('macos:26', C), imageFact({ digest: A }), undefined), null, 'it is resolved');
  t.equal(resolvedBy(image('other', null), imageFact({ digest: A }), undefined), null, 'another image');
  t.equal(resolvedBy(image(null, null), imageFact({ digest: A }), undefined), null, 'no image');
});

t.test('a host holds an image if it can clone the digest of the tier', async (t) => {
  const rows: [string | null, Partial<ImageFact>, boolean][] = [
    [A, { digest: A }, true],
    [A, { digest: B }, false],
    [A, { digest: null }, false],
    [null, { digest: B }, true],
    [null, { digest: null }, true],
    [A, { digest: A, image: 'other' }, false],
    [A, { digest: A, state: 'pulling' }, false],
    [A, { digest: A, state: 'failed' }, false],
    [A, { digest: A, state: 'absent' }, false],
  ];
  for (const [digest, fact, holds] of rows) {
    t.equal(holdsImage(image('macos:26', digest), imageFact(fact)), holds, JSON.stringify(fact));
  }
});

t.test('one entry of a host’s report is kept for each image of a tier', async (t) => {
  const named = namedImages([image('x', A), image('x', A), image('x', B), image('y', null), image(null, null)]);
  t.same(named, [
    { image: 'x', digest: A },
    { image: 'x', digest: B },
    { image: 'y', digest: null },
  ]);
  const fact = (image: string, digest: string | null) => imageFact({ image, digest });
  t.same(relevantFacts(named, []), []);
  t.same(relevantFacts(named, [fact('z', A)]), [], 'no tier names it');
  const all = [fact('x', C), fact('x', B), fact('x', A), fact('y', C), fact('y', B)];
  t.same(relevantFacts(named, all), all.slice(1, 4), 'in the order of the report');
  t.same(relevantFacts(named, [fact('x', C), fact('x', C)]), [fact('x', C)], 'another digest is shown once');
  const many = Array.from({ length: 1000 }, (_, n) => fact('x', digestOf((n % 16).toString(16))));
  t.equal(relevantFacts(named, many).length, 2);
});

t.test('the newest stable Xcode is the default', async (t) => {
  t.equal(newestStable(['26.5', '27-beta', '26.10', '9.0']), '26.10');
  t.equal(newestStable(['27-beta', '27-beta 2']), '27-beta 2', 'only betas');
  t.equal(newestStable([]), null);
});

t.test('values that no operator has given come from the image', async (t) => {
  const offered = offers({
    xcodes: ['26.1', '27-beta', '26.0', '26.1', ''],
    runtimes: ['iOS 26.1', ''],
    tools: ['tuist'],
  });
  const found = withOffers(tierWith(), offered);
  t.match(found, { defaultXcode: '26.1', runtimes: ['iOS 26.1'], tools: ['tuist'], spec: { macos: '26.1' } });
  t.same(found.xcodeVersions, ['26.0', '26.1', '27-beta']);
  t.same(found.spec.cpu_cores, 4);
  const given = {
    xcodeVersions: ['16.2', '16.1'],
    defaultXcode: '16.2',
    runtimes: ['iOS 18'],
    tools: [],
    spec: { ...tierWith().spec, macos: '15' },
  };
  t.same(withOffers(tierWith({ ...given, fromImage: [] }), offered), tierWith({ ...given, fromImage: [] }));
  const rows: [Partial<Tier>, Partial<Tier>][] = [
    [{ defaultXcode: '26.0', fromImage: ['xcodes'] }, { defaultXcode: '26.0' }],
    [{ defaultXcode: '16.2', fromImage: ['xcodes'] }, { defaultXcode: '26.1' }],
    [
      { ...given, fromImage: ['default_xcode'] },
      { defaultXcode: '16.1', xcodeVersions: ['16.2', '16.1'] },
    ],
  ];
  for (const [tier, expected] of rows) t.match(withOffers(tierWith(tier), offered), expected);
  t.match(withOffers(tierWith(), offers({ xcodes: [] })), { xcodeVersions: [], defaultXcode: null });
});

t.test('the order of a report does not matter', async (t) => {
  const one = offers({ xcodes: ['26.1', '26.0'], runtimes: ['a', 'b'], tools: ['c', 'd'] });
  t.ok(sameOffers(one, offers({ xcodes: ['26.0', '26.1'], runtimes: ['b', 'a'], tools: ['d', 'c'] })));
  for (const other of [{ xcodes: ['26.1'] }, { runtimes: ['a'] }, { tools: [] }, { macos: '15' }]) {
    t.notOk(
      sameOffers(one, { ...one, ...offers(other), ...other, xcodes: offers(other).xcodes }),
      JSON.stringify(other),
    );
  }
});
