// Decodes the subject and text of a mail (RFC 2045, RFC 2047).

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/=\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** The Subject header. */
export function subjectOf(data = ''): string {
  const raw = /^Subject: (.*(?:\n[ \t].*)*)/m.exec(data)?.[1] ?? '';
  return raw
    .replace(/\?=\s+=\?UTF-8\?([QB])\?/gi, '?==?UTF-8?$1?')
    .replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : quotedPrintable(word.replace(/_/g, ' ')).toString(),
    );
}

/** The text of a mail with one part. */
export function textOf(data = ''): string {
  const [head = '', ...parts] = data.split('\n\n');
  const body = parts.join('\n\n');
  const [, encoding = ''] = /^Content-Transfer-Encoding: (\S+)$/im.exec(head) ?? [];
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? quotedPrintable(body).toString() : body;
}
