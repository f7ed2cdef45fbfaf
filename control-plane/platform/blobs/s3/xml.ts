// The little XML that S3 answers with: elements that contain text, or elements.

/** Returns the contents of all elements of this name. @example elements('<A><B>1</B></A>', 'B') // ['1'] */
export function elements(xml: string, name: string): string[] {
  const found = xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g'));
  return [...found].map(([, content = '']) => content);
}

/** Returns the text of the first element of this name, or an empty text. */
export const textOf = (xml: string, name: string): string => unescaped(elements(xml, name)[0] ?? '');

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** @example element('Key', 'a&b') // '<Key>a&amp;b</Key>' */
export const element = (name: string, text: string) =>
  `<${name}>${text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;' })[char] ?? '&gt;')}</${name}>`;
