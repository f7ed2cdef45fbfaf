// The Export-Import Bank of Korea, over real HTTP: its rates by day, and what it answers instead.
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { listening } from '../harness/listening.js';

export const AUTH_KEY = 'key-of-the-tests';

type Answer = { readonly status?: number; readonly body: string; readonly location?: string } | 'cut' | 'hang';

export async function startFakeEximbank(t: Test) {
  const rates = new Map<string, string>();
  const asked: string[] = [];
  let instead: Answer | null = null;

  /** As the bank answers: numbers are texts with commas, and only `result` is a number. */
  const list = (day: string) => {
    const usd = rates.get(day);
    if (usd === undefined) return [];
    const row = (cur_unit: string, deal_bas_r: string) => ({
      result: 1,
      cur_unit,
      cur_nm: cur_unit,
      ttb: deal_bas_r,
      tts: deal_bas_r,
      deal_bas_r,
      bkpr: '1',
      yy_efee_r: '0',
      ten_dd_efee_r: '0',
      kftc_bkpr: '1',
      kftc_deal_bas_r: deal_bas_r,
    });
    return [row('JPY(100)', '951.22'), row('USD', usd), row('CNH', '201.1')];
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://bank.test');
    const date = url.searchParams.get('searchdate') ?? '';
    const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
    asked.push(day);
    if (instead === 'cut') return void request.socket.destroy();
    if (instead === 'hang') return;
    if (instead) {
      const { status = 200, body, location } = instead;
      response.writeHead(status, location === undefined ? {} : { location });
      return void response.end(body);
    }
    const isRight = url.pathname === '/site/program/financial/exchangeJSON' && url.searchParams.get('data') === 'AP01';
    if (!isRight) return void response.writeHead(404).end();
    const known = url.searchParams.get('authkey') === AUTH_KEY;
    response.end(JSON.stringify(known ? list(day) : [{ result: 3, cur_unit: null, deal_bas_r: null }]));
  });
  const port = await listening(t, server);
  return {
    url: `http://127.0.0.1:${port}`,
    rates,
    /** The days that were asked for. */
    asked,
    /** Answers this instead, or null: as usual. */
    answer(with_: Answer | null) {
      instead = with_;
    },
  };
}
