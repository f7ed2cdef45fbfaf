// Configuration of payments: the provider, and the terms that payers accept.
import { readFileSync } from 'node:fs';
import { webhookKey } from './access/domain/standard-webhook.js';
import { type ConsentTexts, defaultConsentTexts, parseConsentTexts } from './payments/domain/consent.js';
import { parseRate } from './payments/domain/exchange-rate.js';
import { type PaymentProviderName, paymentProviders } from './payments/domain/payment.js';
import type { EximbankOptions } from './payments/providers/eximbank.js';
import type { PaymentSettings } from './payments/providers/providers.js';
import { httpOrigin, isThisMachine, list, type Setting, setting } from './setting.js';

export interface PaymentConfig extends PaymentSettings {
  readonly consentTexts: ConsentTexts;
  /** Who sells, as on receipts: name, registration number, address, in lines. Null: not set. */
  readonly seller: string | null;
  /** Won of a US dollar; null: the published rate. */
  readonly fixedRate: string | null;
  /** Null: no key is configured. */
  readonly eximbank: Omit<EximbankOptions, 'timeoutMs'> | null;
}

const optional = (text: string) => (text.trim() === '' ? null : text.trim());

export const paymentSettings = {
  provider: setting(
    'CIDERMILL_PAYMENT_PROVIDER',
    'approval',
    'payment provider: `approval` (an owner or admin consents, no money moves), `sandbox` (simulated) or `portone`; ' +
      '`cidermill dev` uses `sandbox`',
    providerName,
  ),
  consentFile: setting(
    'CIDERMILL_CONSENT_FILE',
    '',
    'JSON file `{version, terms, withdrawal, ko?, top_up?}` with the consent texts that replace the built-in ones',
    (text) => (text === '' ? defaultConsentTexts : consentFile(text)),
  ),
  seller: setting(
    'CIDERMILL_SELLER',
    '',
    'the seller as receipts name it: name, registration number, address; `\\n` starts a new line',
    seller,
  ),
  portoneUrl: setting(
    'CIDERMILL_PORTONE_URL',
    'https://api.portone.io',
    "address of PortOne's API; https, or this machine",
    safeOrigin,
  ),
  portoneSecret: setting('CIDERMILL_PORTONE_API_SECRET', '', 'V2 API secret of PortOne', (text) => {
    // The value is not quoted in errors: it is a credential.
    if (!/^[\x21-\x7e]*$/.test(text.trim())) throw new Error('expected visible ASCII characters');
    return optional(text);
  }),
  portoneStore: setting('CIDERMILL_PORTONE_STORE_ID', '', 'store at PortOne', optional),
  portoneChannel: setting('CIDERMILL_PORTONE_CHANNEL_KEY', '', 'payment channel of that store', optional),
  portoneManual: setting(
    'CIDERMILL_PORTONE_MANUAL_CONFIRM',
    'false',
    '`true`: the channel has manual confirm enabled and charges only when the service confirms',
    yesOrNo,
  ),
  portoneTest: setting(
    'CIDERMILL_PORTONE_TEST_CHANNEL',
    'false',
    '`true`: payments of a test channel are accepted',
    yesOrNo,
  ),
  portoneWebhooks: setting(
    'CIDERMILL_PORTONE_WEBHOOK_SECRETS',
    '',
    'signing secrets of the webhooks of PortOne: one, or two separated by a comma during a rotation',
    webhookKeys,
  ),
  fixedRate: setting(
    'CIDERMILL_FX_KRW_PER_USD',
    '',
    'fixed exchange rate of top-ups, won per US dollar, such as `1466.40`; without it the published rate is used',
    fixedRate,
  ),
  eximbankKey: setting(
    'CIDERMILL_FX_EXIMBANK_KEY',
    '',
    'key for the exchange rates of the Export-Import Bank of Korea (한국수출입은행)',
    (text) => {
      // The value is not quoted in errors: it is a credential.
      if (!/^[\x21-\x7e]*$/.test(text.trim())) throw new Error('expected visible ASCII characters');
      return optional(text);
    },
  ),
  eximbankUrl: setting(
    'CIDERMILL_FX_EXIMBANK_URL',
    'https://oapi.koreaexim.go.kr',
    'address of its API; https, or this machine',
    safeOrigin,
  ),
};

/** @param read parses one setting, and reports its problems itself */
export function readPaymentConfig(read: <T>(given: Setting<T>) => T, problem: (text: string) => void): PaymentConfig {
  const provider = read(paymentSettings.provider);
  const apiSecret = read(paymentSettings.portoneSecret);
  const storeId = read(paymentSettings.portoneStore);
  const channelKey = read(paymentSettings.portoneChannel);
  const rest = {
    url: read(paymentSettings.portoneUrl),
    manualConfirm: read(paymentSettings.portoneManual),
    testAllowed: read(paymentSettings.portoneTest),
    webhookKeys: read(paymentSettings.portoneWebhooks),
  };
  const portone =
    apiSecret !== null && storeId !== null && channelKey !== null ? { ...rest, apiSecret, storeId, channelKey } : null;
  const begun = provider === 'portone' || apiSecret !== null || storeId !== null || channelKey !== null;
  if (begun && !portone) {
    const needed = [
      [apiSecret, paymentSettings.portoneSecret],
      [storeId, paymentSettings.portoneStore],
      [channelKey, paymentSettings.portoneChannel],
    ] as const;
    for (const [value, { variable }] of needed) if (value === null) problem(`${variable}: is needed for PortOne`);
  }
  const authKey = read(paymentSettings.eximbankKey);
  const eximbankUrl = read(paymentSettings.eximbankUrl);
  return {
    provider,
    portone,
    consentTexts: read(paymentSettings.consentFile),
    seller: read(paymentSettings.seller),
    fixedRate: read(paymentSettings.fixedRate),
    eximbank: authKey === null ? null : { url: eximbankUrl, authKey },
  };
}

function providerName(text: string): PaymentProviderName {
  const name = paymentProviders.find((known) => known === text);
  if (!name) throw new Error(`expected one of ${paymentProviders.join(', ')}, got "${text}"`);
  return name;
}

/** Of a receipt's head, in characters. */
const SELLER_MOST = 500;

function seller(text: string): string | null {
  const lines = text.replaceAll('\\n', '\n').trim();
  if (lines.length > SELLER_MOST) throw new Error(`expected at most ${SELLER_MOST} characters`);
  if (/[\x00-\x09\x0b-\x1f\x7f]/.test(lines)) throw new Error('expected no control characters');
  return lines === '' ? null : lines;
}

function fixedRate(text: string): string | null {
  if (text.trim() === '') return null;
  const rate = parseRate(text.trim());
  if (rate === null) throw new Error(`expected won per US dollar, from 100 to 100000, got "${text}"`);
  return rate;
}

function consentFile(path: string): ConsentTexts {
  return parseConsentTexts(readFileSync(path, 'utf8'));
}

function safeOrigin(text: string): string {
  const origin = httpOrigin(text);
  const { protocol, hostname } = new URL(origin);
  // Every request contains the API secret.
  if (protocol !== 'https:' && !isThisMachine(hostname)) {
    throw new Error(`expected an https address, got "${text}"`);
  }
  return origin;
}

function yesOrNo(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`expected true or false, got "${text}"`);
  return text === 'true';
}

function webhookKeys(text: string): Buffer[] {
  const secrets = list(text);
  const keys = secrets.flatMap((secret) => webhookKey(secret) ?? []);
  // The values are not quoted in errors: they are credentials.
  if (keys.length < secrets.length || keys.length > 2) {
    throw new Error('expected one or two secrets of base64, with or without whsec_');
  }
  return keys;
}
