// A mail server for tests, on a socket: accepts mails, or refuses them in the ways that servers do.
import { createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { listening } from '../harness/listening.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text as they came, with dots unstuffed. */
  readonly data: string;
}

export type Mood = 'take' | 'busy' | 'unknown recipient' | 'hang up';

export interface SmtpServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** How it answers from now on. */
  mood(mood: Mood): void;
  /** Recipients that were named, taken or not. */
  readonly asked: readonly string[];
}

export async function startSmtpServer(t: Test): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const asked: string[] = [];
  let mood: Mood = 'take';

  const converse = (socket: Socket) => {
    let from = '';
    let to: string[] = [];
    let pending = '';
    let text: string[] | null = null;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const hear = (line: string) => {
      if (text) {
        if (line !== '.') return void text.push(line.startsWith('..') ? line.slice(1) : line);
        mails.push({ from, to, data: text.join('\n') });
        text = null;
        return say('250 taken');
      }
      const [, verb = '', address = ''] = /^(\w+)(?:[^<]*<([^>]*)>)?/.exec(line) ?? [];
      switch (verb.toUpperCase()) {
        case 'EHLO':
        case 'HELO':
          return say('250 smtp.test');
        case 'MAIL':
          from = address;
          to = [];
          return say(mood === 'busy' ? '451 try again later' : '250 ok');
        case 'RCPT':
          asked.push(address);
          if (mood === 'hang up') return void socket.destroy();
          if (mood === 'unknown recipient') return say('550 no such mailbox');
          to.push(address);
          return say('250 ok');
        case 'DATA':
          text = [];
          return say('354 go on');
        case 'QUIT':
          say('221 bye');
          return void socket.end();
        default:
          return say('250 ok');
      }
    };
    say('220 smtp.test');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk;
      const lines = pending.split('\r\n');
      pending = lines.pop() ?? '';
      for (const line of lines) hear(line);
    });
    // The client may close its connection at any time.
    socket.on('error', () => socket.destroy());
  };

  return {
    url: `smtp://127.0.0.1:${await listening(t, createServer(converse))}?ignoreTLS=true`,
    mails,
    asked,
    mood(next) {
      mood = next;
    },
  };
}
