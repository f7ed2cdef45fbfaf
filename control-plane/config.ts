// Configuration of the control plane: CIDERMILL_* variables (and the key of an object store), read once on startup, validated, and grouped by consumer.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseLogLevel } from '../shared/log.js';
import { clientVariables, otherVariables } from '../shared/variables.js';
import { type CodeHosts, defaultCodeHosts } from './builds/domain/source.js';
import { ConfigError } from './config-error.js';
import { knownStatusApis, type StatusApi } from './events/code-hosts/open.js';
import { type IdentityConfig, identitySettings, readIdentityConfig } from './identity-config.js';
import { type ObjectsConfig, objectsSettings, readObjectsConfig } from './objects-config.js';
import { type PaymentConfig, paymentSettings, readPaymentConfig } from './payment-config.js';
import { withWithdrawalPeriod } from './payments/domain/consent.js';
import { normalizeCidr } from './platform/domain/cidr.js';
import { defaultLimits, type Limits, limitNames, limitTable } from './platform/domain/limits.js';
import { normalizeEmail } from './platform/domain/person.js';
import { type AllowedReceivers, parseAllowedReceivers } from './platform/outbound/allowed-receivers.js';
import {
  type Environment,
  httpOrigin,
  httpsOrigin,
  httpUrl,
  list,
  nonEmpty,
  type Setting,
  setting,
  wholeNumber,
} from './setting.js';

export interface Config {
  /** Folder of the database, the key file, uploads and logs. */
  readonly data: string;
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  readonly objects: ObjectsConfig;
  /** Folder of the packages that are offered for download. */
  readonly packages: string;
  /** Folder of the command line that `npm run build` and `npm start` make; null: packages are in a folder of their own. */
  readonly builtClient: string | null;
  readonly http: {
    readonly host: string;
    /** 0: any free port is used. */
    readonly port: number;
    /** Public URL of the service, without a trailing slash; null: http://host:port. */
    readonly siteUrl: string | null;
    readonly trustedProxies: readonly string[];
    readonly operatorToken: string | null;
  };
  readonly codeHosts: CodeHosts;
  readonly secretScanningKeysUrl: string;
  /** Null: mail is disabled. */
  readonly mail: { readonly smtpUrl: string; readonly from: string } | null;
  /** Null: nobody signs in with an identity provider. */
  readonly identity: IdentityConfig | null;
  readonly allowedReceivers: AllowedReceivers;
  /** Where notices about hosts and capacity go. */
  readonly operatorNotices: {
    /** Addresses besides those of people who are operators. */
    readonly mail: readonly string[];
    /** Null: none. */
    readonly webhook: { readonly url: string; readonly secret: string } | null;
  };
  readonly payments: PaymentConfig;
  /** Null: commit statuses are disabled. */
  readonly statusApi: StatusApi | null;
  readonly limits: Limits;
}

const ownPackages = fileURLToPath(new URL('../packages', import.meta.url));
const builtClient = fileURLToPath(new URL('../client-package', import.meta.url));

const settings = {
  data: setting('CIDERMILL_DATA', './.cidermill', 'folder with the database, the key file, uploads and logs', (text) =>
    resolve(nonEmpty(text)),
  ),
  databaseUrl: setting(
    'CIDERMILL_DATABASE_URL',
    '',
    'database on a server of PostgreSQL 14 or newer, `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; without it the database is a file in the data folder',
    (text) => (text === '' ? null : postgresUrl(text)),
  ),
  packages: setting(
    'CIDERMILL_PACKAGES',
    '',
    'folder with the packages that `npm run package` makes, with `SHA256SUMS`; default: `dist/packages` of this program',
    (text) => (text === '' ? ownPackages : resolve(nonEmpty(text))),
  ),
  host: setting('CIDERMILL_HOST', '127.0.0.1', 'address to listen on', nonEmpty),
  port: setting('CIDERMILL_PORT', '8460', 'port to listen on; 0: any free port', (text) =>
    wholeNumber(text, 0, 65_535),
  ),
  siteUrl: setting(
    'CIDERMILL_SITE_URL',
    '',
    'public address of the service, if it is not `http://HOST:PORT`',
    (text) => (text === '' ? null : httpOrigin(text)),
  ),
  trustedProxies: setting(
    'CIDERMILL_TRUSTED_PROXIES',
    '',
    'addresses or ranges of proxies whose `X-Forwarded-For` is trusted, separated by commas',
    (text) => list(text).map(addressRange),
  ),
  operatorToken: setting(
    'CIDERMILL_OPERATOR_TOKEN',
    '',
    'bearer token of operators, for `cidermill admin` and `/metrics` from other machines; at least 20 characters',
    (text) => (text === '' ? null : token(text)),
  ),
  logLevel: setting(
    'CIDERMILL_LOG_LEVEL',
    'info',
    'lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`; also for a host agent without `log_level` in its `agent.json`',
    parseLogLevel,
  ),
  codeHost: setting(
    'CIDERMILL_CODE_HOST',
    defaultCodeHosts.default,
    'address of the code host that has a `repo` (owner/name)',
    httpsOrigin,
  ),
  repoHosts: setting(
    'CIDERMILL_REPO_HOSTS',
    defaultCodeHosts.allowed.join(','),
    'hosts that a `repo_url` may name, separated by commas',
    list,
  ),
  secretScanningKeysUrl: setting(
    'CIDERMILL_SECRET_SCANNING_KEYS_URL',
    'https://api.github.com/meta/public_keys/secret_scanning',
    'address of the public keys that verify reports of leaked API keys',
    httpUrl,
  ),
  smtpUrl: setting(
    'CIDERMILL_SMTP_URL',
    '',
    'mail server for notices: `smtp://USER:PASSWORD@HOST:587` or `smtps://…`; without it notices are not mailed',
    (text) => (text === '' ? null : smtpAddress(text)),
  ),
  mailFrom: setting('CIDERMILL_MAIL_FROM', '', 'sender of mails, `name@host` or `Name <name@host>`', (text) =>
    text === '' ? null : mailbox(text),
  ),
  allowedReceivers: setting(
    'CIDERMILL_WEBHOOK_ALLOWED_PRIVATE',
    '',
    'webhook receivers that are allowed although they are not public: host names, addresses and ranges, separated by commas',
    (text) => parseAllowedReceivers(list(text)),
  ),
  operatorMail: setting(
    'CIDERMILL_OPERATOR_MAIL',
    '',
    'addresses, separated by commas, that get notices about hosts and capacity besides the people who are operators',
    (text) => list(text).map(emailAddress),
  ),
  operatorWebhookUrl: setting(
    'CIDERMILL_OPERATOR_WEBHOOK_URL',
    '',
    'receiver of notices about hosts and capacity: any http or https address, private ones too, or a channel of Slack, Discord or Teams',
    (text) => (text === '' ? null : receiverUrl(text)),
  ),
  operatorWebhookSecret: setting(
    'CIDERMILL_OPERATOR_WEBHOOK_SECRET',
    '',
    'secret with which these notices are signed, as webhooks are; at least 20 characters',
    (text) => (text === '' ? null : token(text)),
  ),
  statusApi: setting(
    'CIDERMILL_STATUS_API',
    'auto',
    'API for commit statuses: `github:URL`, `gitlab:URL` or `none`; `auto` detects github.com and gitlab.com',
    (text) => (text === 'auto' ? 'auto' : text === 'none' ? null : statusApi(text)),
  ),
};

const limitVariable = (name: string) => `CIDERMILL_${name.toUpperCase()}`;

/**
 * Reads and validates the configuration.
 *
 * @param overrides values by variable name that take precedence over the environment, e.g. from flags
 * @throws ConfigError that lists every invalid variable
 * @example readConfig(process.env, { CIDERMILL_PORT: '0' }).http.port // 0
 */
export function readConfig(environment: Environment, overrides: Environment = {}): Config {
  const problems: string[] = [];
  const text = (variable: string) => overrides[variable] ?? environment[variable];
  const read = <T>({ variable, fallback, parse }: Setting<T>): T => {
    try {
      return parse(text(variable) ?? fallback);
    } catch (error) {
      problems.push(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
      return parse(fallback);
    }
  };
  const limits: Limits = { ...defaultLimits };
  for (const name of limitNames) {
    const given = text(limitVariable(name));
    if (given === undefined) continue;
    try {
      limits[name] = wholeNumber(given, 0, Number.MAX_SAFE_INTEGER);
    } catch (error) {
      problems.push(`${limitVariable(name)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // Only checked: the log was opened with it before.
  read(settings.logLevel);
  const smtpUrl = read(settings.smtpUrl);
  const mailFrom = read(settings.mailFrom);
  if (smtpUrl !== null && mailFrom === null) {
    problems.push(`${settings.mailFrom.variable}: is needed together with ${settings.smtpUrl.variable}`);
  }
  const operatorMail = read(settings.operatorMail);
  if (operatorMail.length > 0 && smtpUrl === null) {
    problems.push(`${settings.smtpUrl.variable}: is needed together with ${settings.operatorMail.variable}`);
  }
  const webhookUrl = read(settings.operatorWebhookUrl);
  const secret = read(settings.operatorWebhookSecret);
  if (webhookUrl !== null && secret === null) {
    const { operatorWebhookSecret, operatorWebhookUrl } = settings;
    problems.push(`${operatorWebhookSecret.variable}: is needed together with ${operatorWebhookUrl.variable}`);
  }
  const codeHost = read(settings.codeHost);
  const chosenApi = read(settings.statusApi);
  const payments = readPaymentConfig(read, (problem) => problems.push(problem));
  const config: Config = {
    data: read(settings.data),
    databaseUrl: read(settings.databaseUrl),
    objects: readObjectsConfig(read, (problem) => problems.push(problem)),
    packages: read(settings.packages),
    builtClient: read(settings.packages) === ownPackages ? builtClient : null,
    http: {
      host: read(settings.host),
      port: read(settings.port),
      siteUrl: read(settings.siteUrl),
      trustedProxies: read(settings.trustedProxies),
      operatorToken: read(settings.operatorToken),
    },
    codeHosts: { default: codeHost, allowed: read(settings.repoHosts) },
    secretScanningKeysUrl: read(settings.secretScanningKeysUrl),
    mail: smtpUrl !== null && mailFrom !== null ? { smtpUrl, from: mailFrom } : null,
    identity: readIdentityConfig(read, (problem) => problems.push(problem)),
    allowedReceivers: read(settings.allowedReceivers),
    operatorNotices: {
      mail: operatorMail,
      webhook: webhookUrl !== null && secret !== null ? { url: webhookUrl, secret } : null,
    },
    payments: { ...payments, consentTexts: withWithdrawalPeriod(payments.consentTexts, limits.topup_withdraw_ms) },
    statusApi: chosenApi === 'auto' ? (knownStatusApis[codeHost] ?? null) : chosenApi,
    limits,
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Returns all variables with default and meaning as Markdown tables, which are included in docs/configuration.md. */
export function configurationTable(): string {
  const rows = Object.values({ ...settings, ...objectsSettings, ...identitySettings, ...paymentSettings }).map(
    ({ variable, fallback, meaning }) => `| \`${variable}\` | ${fallback && `\`${fallback}\``} | ${meaning} |`,
  );
  const limits = limitNames.map(
    (name) => `| \`${limitVariable(name)}\` | \`${defaultLimits[name]}\` | ${limitTable[name].meaning} |`,
  );
  return [
    '| variable | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
    '| limit | default | meaning |',
    '|---|---|---|',
    ...limits,
  ].join('\n');
}

/** Returns the names of all variables that the service and its companion processes read. */
export function knownVariables(): string[] {
  return [
    ...Object.values({ ...settings, ...objectsSettings, ...identitySettings, ...paymentSettings }).map(
      ({ variable }) => variable,
    ),
    ...limitNames.map(limitVariable),
    ...clientVariables,
    ...otherVariables,
  ];
}

function addressRange(text: string): string {
  const range = normalizeCidr(text);
  if (range === null) throw new Error(`"${text}" is not an address or a range such as 10.0.0.0/8`);
  return range;
}

function statusApi(text: string): StatusApi {
  const [, kind, url] = /^(github|gitlab):(.*)$/.exec(text) ?? [];
  if (url === undefined) throw new Error(`expected github:URL, gitlab:URL, auto or none, got "${text}"`);
  return { kind: kind === 'gitlab' ? 'gitlab' : 'github', url: httpUrl(url).replace(/\/+$/, '') };
}

/** Throws an error that does not quote the address. */
export function postgresUrl(text: string): string {
  // The value is not quoted in errors: it contains a password.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol) || url.pathname.length < 2) {
    throw new Error('expected postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  return text;
}

function smtpAddress(text: string): string {
  // The value is not quoted in errors: it contains a password.
  if (!URL.canParse(text) || !/^smtps?:$/.test(new URL(text).protocol) || new URL(text).hostname === '') {
    throw new Error('expected smtp://USER:PASSWORD@HOST:PORT or smtps://…');
  }
  return text;
}

function mailbox(text: string): string {
  const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(text.trim())?.[1] ?? text;
  if (normalizeEmail(address) === null) {
    throw new Error(`expected name@host or Name <name@host>, got "${text}"`);
  }
  return text.trim();
}

function emailAddress(text: string): string {
  const address = normalizeEmail(text);
  if (address === null) throw new Error(`expected name@host, got "${text}"`);
  return address;
}

function receiverUrl(text: string): string {
  // The value is not quoted in errors: addresses of chat services are credentials.
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('expected an http or https address without user name and password');
  }
  return text;
}

function token(text: string): string {
  // The value is not quoted in errors: it is a credential.
  if (text.length < 20 || !/^[\x21-\x7e]+$/.test(text)) {
    throw new Error('expected at least 20 visible ASCII characters');
  }
  return text;
}
