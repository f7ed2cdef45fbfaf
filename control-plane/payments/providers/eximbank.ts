// The base rate of the Export-Import Bank of Korea:
// https://www.koreaexim.go.kr/ir/HPHKIR020M01?apino=2&viewtype=C
import { z } from 'zod';
import { timeLimit } from '../../../shared/clock.js';
import { askServer } from '../../platform/outbound/configured-server.js';
import { parseRate } from '../domain/exchange-rate.js';

/** Rates that somebody publishes once a day. */
export type PublishedRates = ReturnType<typeof createEximbank>;

/** No answer, or none that can be used. */
export class RateUncertain extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RateUncertain';
  }
}

export interface EximbankOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly authKey: string;
  readonly timeoutMs: number;
}

const LARGEST_ANSWER = 256 * 1024;

const answer = z.array(
  z.looseObject({ result: z.number(), cur_unit: z.string().nullish(), deal_bas_r: z.string().nullish() }),
);

const refusals: Readonly<Record<number, string>> = {
  2: 'data code error',
  3: 'the key is refused',
  4: 'the daily limit of requests is reached',
};

export function createEximbank({ url, authKey, timeoutMs }: EximbankOptions) {
  return {
    source: 'eximbank' as const,
    /**
     * Returns the won of a dollar as a decimal text, or null when none is published for the day (in Korea,
     * `2026-03-02`). Throws RateUncertain.
     */
    async on(day: string): Promise<string | null> {
      const query = new URLSearchParams({
        authkey: authKey,
        searchdate: day.replaceAll('-', ''),
        data: 'AP01',
      });
      const rates = await ask(`${url}/site/program/financial/exchangeJSON?${query}`, timeoutMs);
      if (rates.length === 0) return null;
      const refusal = rates.find(({ result }) => result !== 1);
      if (refusal) {
        throw new RateUncertain(`Eximbank answered ${refusal.result}: ${refusals[refusal.result] ?? 'unknown'}`);
      }
      const published = rates.find(({ cur_unit }) => cur_unit === 'USD')?.deal_bas_r ?? '';
      const rate = parseRate(published);
      if (rate === null) throw new RateUncertain(`Eximbank's rate of ${day} is not a number of won: "${published}"`);
      return rate;
    },
  };
}

/** Errors never quote the address: it contains the key. */
async function ask(address: string, timeoutMs: number): Promise<z.infer<typeof answer>> {
  let text = '';
  try {
    const given = await askServer(address, {
      method: 'GET',
      // Some of the bank's servers refuse requests without it.
      headers: { accept: 'application/json', 'user-agent': 'cidermill' },
      signal: timeLimit(timeoutMs),
      longestAnswer: LARGEST_ANSWER,
    });
    if (given.status !== 200) throw new Error(`HTTP ${given.status}`);
    text = given.text;
  } catch (error) {
    throw new RateUncertain('Eximbank gave no answer', { cause: error });
  }
  // Instead of an empty list some days answer null, or nothing.
  const read = answer.nullable().safeParse(text.trim() === '' ? null : parsed(text));
  if (!read.success) throw new RateUncertain(`Eximbank's answer is not a list of rates`);
  return read.data ?? [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RateUncertain('Eximbank answered with text that is not JSON', { cause: error });
  }
}
