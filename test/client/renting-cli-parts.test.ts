// Parts of the renting commands: suggested requests, what is loaded, QR codes.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { commandOf } from '../../client/cli/explain-error.js';
import { qrCode } from '../../client/cli/pay-link.js';
import { jobText } from '../../client/cli/render-macs.js';
import { orderText } from '../../client/cli/render-orders.js';
import type { Job, NextRequest, Order } from '../../client/index.js';
import { readQrCode } from './renting-cli-rig.js';

t.test('a suggested request is printed as the command that sends it', async (t) => {
  const table: [Omit<NextRequest, 'action'>, string | null][] = [
    [{ method: 'GET', path: '/api/v1/catalog' }, 'cidermill catalog'],
    [{ method: 'GET', path: '/api/v1/orders?status=awaiting_payment' }, 'cidermill orders --status awaiting_payment'],
    [{ method: 'GET', path: '/api/v1/orders/RT-1/wait?timeout=60' }, 'cidermill pay-status RT-1 --wait'],
    [{ method: 'GET', path: '/macs/api/v1/jobs/op_1' }, 'cidermill jobs op_1 --wait'],
    [
      { method: 'POST', path: '/api/v1/waitlist', body: { tier: 'two words', units: 2 } },
      "cidermill waitlist add 'two words' --units 2",
    ],
    [
      { method: 'POST', path: '/api/v1/orders', body: { tier: 'm4', hours: 24, setup: { xcode: '16.2' } } },
      'cidermill rent --tier m4 --hours 24 --xcode 16.2',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/extend/quote', body: { hours: 48 } },
      'cidermill extend rt_1 --days 2 --quote',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/extend', body: { rental_ids: ['rt_1', 'rt_2'], hours: 24 } },
      'cidermill extend rt_1 rt_2 --days 1',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/reset', body: { keep_cache: true } },
      'cidermill reset rt_1 --keep-cache',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/reset', body: { all: true, when: 'now' } },
      'cidermill reset --all --when now',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/xcode', body: { version: '16.0', when: 'after_build' } },
      'cidermill xcode 16.0 rt_1 --when after_build',
    ],
    [
      {
        method: 'PATCH',
        path: '/api/v1/rentals/rt_1',
        body: { runtimes: ['iOS 18.2', 'iOS 17'], tools: [] },
      },
      "cidermill setup rt_1 --runtimes 'iOS 18.2,iOS 17' --tools '' --no-keep-cache",
    ],
    [
      { method: 'PATCH', path: '/api/v1/rentals/rt_1', body: { tools: [], keep_cache: true } },
      "cidermill setup rt_1 --tools ''",
    ],
    [
      {
        method: 'PATCH',
        path: '/api/v1/rentals/rt_1',
        body: { xcode: '16', keep_cache: false, when: 'now' },
      },
      'cidermill setup rt_1 --xcode 16 --no-keep-cache --when now',
    ],
    [{ method: 'GET', path: '/api/v1/rentals' }, 'cidermill macs'],
    [{ method: 'GET', path: '/api/v1/openapi.json' }, null],
    [{ method: 'GET', path: '/agent-start.md' }, null],
  ];
  for (const [next, command] of table) t.equal(commandOf({ action: 'x', ...next }), command, next.path);
});

t.test('a build does not wait for code about renting to be loaded', async (t) => {
  const seen = new Set<string>();
  const visit = (file: URL) => {
    if (seen.has(file.pathname)) return;
    seen.add(file.pathname);
    const code = readFileSync(file, 'utf8');
    for (const [, from = ''] of code.matchAll(/^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+)'/gm))
      visit(new URL(from.replace(/\.js$/, '.ts'), file));
  };
  for (const file of ['main', 'run-build']) visit(new URL(`../../../client/cli/${file}.ts`, import.meta.url));
  const names = [...seen].map((path) => path.replace(/^.*\/client\//, ''));
  t.ok(['api/builds.ts', 'cli/session.ts', 'cli/commands.ts'].every((name) => names.includes(name)));
  const renting = /renting|order|rental|maintenance|jobs|waitlist|pay-link|explain|commands\//;
  t.same(
    names.filter((name) => renting.test(name)),
    [],
  );
});

t.test('QR codes of any address can be read back', async (t) => {
  for (let length = 1; length <= 230; length += 23) {
    const text = `https://macs.example.com/pay/${'RT-0123456789abcdef'.repeat(13)}`.slice(0, 8 + length);
    const { lines, width } = qrCode(text);
    t.equal(readQrCode(lines.join('\n')), text, `${text.length} characters`);
    t.ok(lines.every((line) => line.replace(/\x1b\[[\d;]*m/g, '').length === width));
  }
});

t.test('the progress of a job is said in words', async (t) => {
  const job = (progress: Job['progress']) =>
    ({ job_id: 'op_1', kind: 'reset', rental_id: 'rt_1', rental_name: 'Mac 1', status: 'running', progress }) as Job;
  const image = { percent: 49, bytes: 12_300_000_000, total_bytes: 25_100_000_000 };
  const table: [Job['progress'], string, string][] = [
    [{ step: 'empty_work', percent: 40.2, image: null }, 'emptying the work folders 40 %', 'emptying the work folders'],
    [
      { step: 'image', percent: 10, image },
      'fetching the image 49 %, 12.3 of 25.1 GB',
      'fetching the image 49 %, 12.3 of 25.1 GB',
    ],
    [{ step: 'of_a_newer_service', percent: 5, image: null }, 'of_a_newer_service 5 %', 'of_a_newer_service'],
  ];
  for (const [progress, text, withoutPercent] of table) {
    t.equal(jobText(job(progress)), `op_1, reset of Mac 1: running, ${text}`);
    t.equal(jobText(job(progress), false), `op_1, reset of Mac 1: running, ${withoutPercent}`);
  }
});

t.test('an order says whether its Macs are reserved, have ended or were refunded', async (t) => {
  const order = {
    order_no: 'RT-1',
    kind: 'rental',
    status: 'ready',
    hours: 24,
    units: 1,
    amount_won: 0,
    vat_won: 0,
    start: 'now',
    setup: {},
    rental_ids: [],
    paid_at: null,
    receipt_url: null,
    refunded_won: 0,
    end_reason: null,
    rentals_start_at: null,
    rentals_ended_at: null,
  } as unknown as Order;
  const at = '2026-01-02T00:00:00Z';
  for (const [change, text] of [
    [{}, 'RT-1: ready'],
    [{ rentals_ended_at: at }, 'RT-1: ended'],
    [{ rentals_ended_at: at, end_reason: 'refunded_by_operator' }, 'RT-1: refunded'],
    [{ status: 'paid', rentals_start_at: at }, 'RT-1: paid, its Macs are reserved'],
    [{ status: 'provisioning' }, 'RT-1: paid, its Macs are being prepared'],
  ] as [Partial<Order>, string][]) {
    t.equal(orderText({ ...order, ...change }).split('\n')[0], text);
  }
});
