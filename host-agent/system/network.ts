// How this host connects to the control plane and to code hosts: additional certificate authorities, and a proxy.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { z } from 'zod';
import { ProxyError, proxyAddress, proxyFor } from '../../shared/network/proxy.js';
import { createTunnelAgent } from '../../shared/network/tunnel.js';

export const networkSettings = z.object({
  /** PEM files of additional certificate authorities to trust. */
  ca_files: z.array(z.string()),
  proxy: z.string().nullable(),
  bypass: z.string().nullable(),
});
export type NetworkSettings = z.infer<typeof networkSettings>;

export const directly: NetworkSettings = { ca_files: [], proxy: null, bypass: null };

export interface Network {
  /** Returns the agent for requests; keeps connections alive. */
  agent(url: URL): http.Agent;
  /** Returns an agent for one WebSocket. */
  upgradeAgent(url: URL): http.Agent;
}

/** An invalid setting. The message names it and the file, never a password. */
export class NetworkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NetworkError';
  }
}

/** How long a proxy may take to connect. */
const TUNNEL_MS = 30_000;
const KEPT = { keepAlive: true, maxSockets: 8 } as const;

/** @throws NetworkError when a file of authorities or the proxy is invalid */
export function checkNetwork(settings: NetworkSettings): void {
  for (const file of settings.ca_files) readAuthorities(file);
  checkProxy(settings);
}

/** @throws NetworkError when the proxy is invalid; an invalid file of authorities throws at the first https address */
export function openNetwork(settings: NetworkSettings): Network {
  checkProxy(settings);
  const plain = new http.Agent(KEPT);
  // On first use, because a build whose control plane is not reached by https needs none of it. Once, because parsing
  // all authorities takes longer than a handshake.
  const trust = once(() => {
    const ca = trusted(settings);
    return ca === undefined ? {} : { secureContext: tls.createSecureContext({ ca }) };
  });
  const secure = once(() => new https.Agent({ ...KEPT, ...trust() }));
  const tunnels = new Map<string, https.Agent>();
  const proxyOf = (url: URL) => proxyFor(url, settings);
  const tunnel = (proxy: URL, options: https.AgentOptions) =>
    createTunnelAgent({ proxy, timeoutMs: TUNNEL_MS, ...trust() }, options);
  return {
    agent(url) {
      const proxy = proxyOf(url);
      if (proxy === null) return url.protocol === 'https:' ? secure() : plain;
      const kept = tunnels.get(proxy.href) ?? tunnel(proxy, KEPT);
      tunnels.set(proxy.href, kept);
      return kept;
    },
    upgradeAgent(url) {
      const proxy = proxyOf(url);
      if (proxy !== null) return tunnel(proxy, {});
      return url.protocol === 'https:' ? new https.Agent(trust()) : new http.Agent();
    },
  };
}

/** Calls `make` the first time only. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns Node's authorities and those of the files as one PEM text; null without files. */
export function caBundle({ ca_files }: NetworkSettings): string | null {
  const all = trusted({ ca_files });
  return all === undefined ? null : `${all.map((pem) => pem.trim()).join('\n')}\n`;
}

function trusted({ ca_files }: Pick<NetworkSettings, 'ca_files'>): string[] | undefined {
  return ca_files.length === 0 ? undefined : [...tls.rootCertificates, ...ca_files.map(readAuthorities)];
}

function readAuthorities(file: string): string {
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NetworkError(`The certificate authorities in ${file} cannot be read: ${why}`, { cause });
  }
  try {
    if (!/-----BEGIN (?:TRUSTED )?CERTIFICATE-----/.test(pem)) throw new Error('the file has no certificate');
    tls.createSecureContext({ ca: pem });
  } catch (cause) {
    throw new NetworkError(`${file} is not a PEM file of certificate authorities.`, { cause });
  }
  return pem;
}

function checkProxy({ proxy }: NetworkSettings): void {
  try {
    if (proxy !== null) proxyAddress(proxy);
  } catch (error) {
    throw error instanceof ProxyError ? new NetworkError(error.message) : error;
  }
}
