// The proxy for a URL: the whole table.
import t from 'tap';
import { proxyAddress, proxyFor, proxyFromEnvironment } from '../../shared/network/proxy.js';

const proxy = 'http://user:secret@proxy.example:3128';

t.test('URLs with and without proxy', async (t) => {
  const table: [address: string, bypass: string | null, through: boolean][] = [
    ['https://macs.example', null, true],
    ['https://macs.example', '', true],
    ['http://macs.example', null, false],
    ['https://localhost:8460', null, false],
    ['https://app.localhost', null, false],
    ['https://127.0.0.1:1', null, false],
    ['https://127.8.8.8', null, false],
    ['https://[::1]:1', null, false],
    ['https://127.0.0.1.example', null, true],
    ['https://macs.example', '*', false],
    ['https://macs.example', 'example', false],
    ['https://macs.example', 'macs.example', false],
    ['https://MACS.example.', 'macs.example', false],
    ['https://macs.example', '.macs.example', false],
    ['https://macs.example', '*.example', false],
    ['https://macs.example', 'other.example, MACS.example', false],
    ['https://macs.example', 'other.example MACS.example', false],
    ['https://macs.example', 'acs.example', true],
    ['https://macs.example', 'macs.example.com', true],
    ['https://macs.example', 'macs.example:443', false],
    ['https://macs.example', 'macs.example:8443', true],
    ['https://macs.example:8443', 'macs.example:8443', false],
    ['https://macs.example', ',, ,', true],
    ['https://macs.example', '.', true],
    ['https://10.0.0.7', '10.0.0.7', false],
    ['https://10.0.0.7', '10.0.0.8', true],
    ['https://[fd00::7]', 'fd00::7', false],
    ['https://[fd00::7]:8443', '[fd00::7]:8443', false],
    ['https://[fd00::7]:8443', '[fd00::7]:443', true],
  ];
  for (const [address, bypass, through] of table) {
    const found = proxyFor(address, { proxy, bypass });
    t.equal(found?.host ?? null, through ? 'proxy.example:3128' : null, `${address} but ${bypass}`);
  }
  t.equal(proxyFor('https://macs.example', { proxy: null, bypass: null }), null);
});

t.test('the standard proxy variables', async (t) => {
  t.same(proxyFromEnvironment({}), { proxy: null, bypass: null });
  t.same(proxyFromEnvironment({ HTTPS_PROXY: 'http://a', ALL_PROXY: 'http://b', NO_PROXY: 'x' }), {
    proxy: 'http://a',
    bypass: 'x',
  });
  t.same(proxyFromEnvironment({ ALL_PROXY: 'http://b', no_proxy: 'y', NO_PROXY: 'x' }), {
    proxy: 'http://b',
    bypass: 'y',
  });
  t.same(proxyFromEnvironment({ https_proxy: 'http://c', HTTPS_PROXY: 'http://a' }).proxy, 'http://c');
  t.same(proxyFromEnvironment({ HTTPS_PROXY: '' }).proxy, null);
});

t.test('an invalid proxy URL is refused, without repeating it', async (t) => {
  for (const wrong of ['proxy.example:3128', 'socks5://secret@proxy.example', 'http://', 'nonsense secret', '//x']) {
    t.throws(() => proxyAddress(wrong), { code: 'PROXY_FAILED' }, wrong);
    t.throws(() => proxyAddress(wrong), {
      message: /http:\/\/proxy\.example:3128 \(http or https\)\.$/,
    });
    try {
      proxyAddress(wrong);
    } catch (error) {
      t.notMatch(String(error), /secret/);
    }
  }
  t.equal(proxyAddress('https://proxy.example').protocol, 'https:');
});
