// TLS connections through a proxy with CONNECT. Node's modules are loaded on first use, because the command line
// usually needs none of them.
import type { Agent, AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { ProxyError } from './proxy.js';

export interface TunnelOptions {
  readonly proxy: URL;
  /** The certificates trusted for the target and an https proxy; default: Node's. */
  readonly secureContext?: SecureContext | undefined;
  /** Timeout of the proxy's connection, in ms. */
  readonly timeoutMs: number;
}

/** Creates an https agent whose connections all go through the proxy. */
export function createTunnelAgent(options: TunnelOptions, agentOptions: AgentOptions): Agent {
  const https = process.getBuiltinModule('node:https');
  const tls = process.getBuiltinModule('node:tls');
  const { isIP } = process.getBuiltinModule('node:net');
  const agent = new https.Agent(agentOptions);
  const open = async (target: ConnectionOptions) => {
    const host = target.host ?? 'localhost';
    const socket = await openTunnel(options, host, Number(target.port ?? 443));
    const servername = target.servername ?? (isIP(host) === 0 ? host : '');
    return tls.connect({ socket, host, servername, ...trustOf(options) });
  };
  agent.createConnection = (target, callback) => {
    open(target as ConnectionOptions).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}

const trustOf = ({ secureContext }: TunnelOptions) => (secureContext === undefined ? {} : { secureContext });

/** @throws ProxyError */
function openTunnel(options: TunnelOptions, host: string, port: number): Promise<Duplex> {
  const { proxy, timeoutMs } = options;
  const { request } = process.getBuiltinModule('node:http');
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const failed = (why: string) => new ProxyError(`The proxy ${proxy.origin} ${why}.`);
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: target,
      createConnection: () => connectTo(options),
      headers: { host: target, ...authorization(proxy) },
      timeout: timeoutMs,
    });
    asked.once('connect', (answer, socket, head) => {
      const status = answer.statusCode ?? 0;
      if (status < 200 || status > 299) {
        socket.destroy();
        reject(failed(`answered ${status} when asked for a connection to ${target}`));
        return;
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
    asked.once('error', (error) => reject(failed(`cannot be used: ${error.message}`)));
    asked.end();
  });
}

function connectTo(options: TunnelOptions): Duplex {
  const { protocol, hostname, port: given } = options.proxy;
  const net = process.getBuiltinModule('node:net');
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:';
  const port = given === '' ? (secure ? 443 : 80) : Number(given);
  if (!secure) return net.connect({ host, port });
  const servername = net.isIP(host) === 0 ? host : '';
  return process.getBuiltinModule('node:tls').connect({ host, port, servername, ...trustOf(options) });
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
