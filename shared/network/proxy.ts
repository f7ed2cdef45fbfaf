// Selects the proxy for an https URL, from the usual environment variables.

export interface ProxySettings {
  /** `http://[USER:PASSWORD@]HOST:PORT` or `https://…`; null: none. */
  readonly proxy: string | null;
  /** Hosts to reach directly, separated by commas. */
  readonly bypass: string | null;
}

/** An invalid proxy, or a failed connection through it. The message never contains the password. */
export class ProxyError extends Error {
  readonly code = 'PROXY_FAILED';
  constructor(message: string) {
    super(message);
    this.name = 'ProxyError';
  }
}

/** @example proxyFromEnvironment(process.env) // of HTTPS_PROXY, else ALL_PROXY, and NO_PROXY; lower case wins */
export function proxyFromEnvironment(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const of = (name: string) => env[name.toLowerCase()] || env[name] || null;
  return { proxy: of('HTTPS_PROXY') ?? of('ALL_PROXY'), bypass: of('NO_PROXY') };
}

/**
 * Returns the proxy for a URL, or null for a direct connection: every URL that is not https, this machine, and the
 * hosts in `bypass`. There, `example.com` and `.example.com` stand for the host and all subdomains,
 * `example.com:8443` for one port, `*` for everything.
 *
 * @throws ProxyError when the setting is not a valid proxy URL
 */
export function proxyFor(address: string | URL, { proxy, bypass }: ProxySettings): URL | null {
  const { protocol, hostname, port } = new URL(address);
  if (proxy === null || protocol !== 'https:' || isThisMachine(hostname)) return null;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (bypasses(bypass ?? '', host, port === '' ? '443' : port)) return null;
  return proxyAddress(proxy);
}

/** @throws ProxyError when the setting is not a valid proxy URL */
export function proxyAddress(setting: string): URL {
  const url = URL.canParse(setting) ? new URL(setting) : null;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '') return url;
  throw new ProxyError('The proxy must be a URL such as http://proxy.example:3128 (http or https).');
}

function bypasses(list: string, host: string, port: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', ofPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isBareIpv6(entry) ? `[${entry}]` : entry) ?? [];
      if (ofPort !== undefined && ofPort !== port) return false;
      const wanted = name
        .toLowerCase()
        .replace(/^\*?\./, '')
        .replace(/\.$/, '');
      return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
    });
}

const isBareIpv6 = (entry: string) => !entry.startsWith('[') && entry.split(':').length > 2;

const isThisMachine = (hostname: string) =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname);
