import { get } from 'node:http';

/** Reads a streamed answer; resolves when its first bytes have arrived, with a promise of the whole. */
export const followed = (port: number, path: string, headers: Record<string, string>) =>
  new Promise<{ all: Promise<string> }>((resolve, reject) => {
    get({ port, path, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
      let text = '';
      const all = new Promise<string>((ended) => response.on('close', () => ended(text)));
      response.on('data', (chunk) => {
        text += chunk;
        resolve({ all });
      });
    }).on('error', reject);
  });
