// Encodings of a text, character by character: JSON, XML, shell quoting, percent-encoding and the like. An encoding
// that does not change a value adds no needle (needles.ts), so the list may be generous.

import { bytesOf } from './byte-text.js';

/** Returns the encoding of one character (code point). */
export type CharEncoding = (char: string) => string;

/** Excludes DEL: programs that escape non-ASCII characters escape it too. */
const isAscii = (char: string): boolean => char < '\x7f';

const utf16Escapes = (char: string, upper = false): string =>
  Array.from({ length: char.length }, (_, i) => {
    const hex = char.charCodeAt(i).toString(16).padStart(4, '0');
    return `\\u${upper ? hex.toUpperCase() : hex}`;
  }).join('');

const byteEscapes = (char: string, write: (byte: number) => string): string => [...bytesOf(char)].map(write).join('');

/** Returns `base` with the exceptions of the table. */
const except =
  (base: CharEncoding, table: Readonly<Record<string, string>>): CharEncoding =>
  (char) =>
    table[char] ?? base(char);

const asIs: CharEncoding = (char) => char;

/** Puts a backslash before every character of a set. */
const backslash =
  (set: RegExp, base: CharEncoding = asIs): CharEncoding =>
  (char) =>
    set.test(char) ? `\\${char}` : base(char);

const json: CharEncoding = (char) => JSON.stringify(char).slice(1, -1);
const jsonAscii: CharEncoding = (char) => (isAscii(char) ? json(char) : utf16Escapes(char));
const twice =
  (encoding: CharEncoding): CharEncoding =>
  (char) =>
    [...encoding(char)].map(encoding).join('');
const HTML_IN_JSON = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' };
const dotnetEscaped = /["'&+<>`]/;

const jsonEncodings: CharEncoding[] = [
  json,
  except(json, { '/': '\\/' }),
  jsonAscii,
  except(jsonAscii, { '/': '\\/' }),
  except(json, HTML_IN_JSON),
  except(jsonAscii, HTML_IN_JSON),
  except(json, { ...HTML_IN_JSON, "'": '\\u0027', '=': '\\u003d' }),
  (char) => (dotnetEscaped.test(char) || !isAscii(char) ? utf16Escapes(char, true) : json(char)),
  twice(json),
  twice(jsonAscii),
];

const TEXT_NODE = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const LINE_REFERENCES = { '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' };
const HEX_LINE_REFERENCES = { '\n': '&#xA;', '\r': '&#xD;', '\t': '&#x9;' };

const xmlEncodings: CharEncoding[] = [
  { '&': '&amp;', '<': '&lt;' },
  TEXT_NODE,
  { ...TEXT_NODE, '"': '&quot;' },
  { ...TEXT_NODE, '"': '&quot;', "'": '&apos;' },
  { ...TEXT_NODE, '"': '&quot;', "'": '&#39;' },
  { ...TEXT_NODE, '"': '&quot;', "'": '&#039;' },
  { ...TEXT_NODE, '"': '&quot;', "'": '&#x27;' },
  { ...TEXT_NODE, '"': '&#34;', "'": '&#39;' },
  { ...TEXT_NODE, '"': '&#x22;', "'": '&#x27;' },
  { ...TEXT_NODE, '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
]
  .flatMap((table) => [table, { ...table, ...LINE_REFERENCES }, { ...table, ...HEX_LINE_REFERENCES }])
  .map((table) => except(asIs, table));

const C_CONTROLS = {
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\b': '\\b',
  '\x07': '\\a',
};
/** Those that Python has letters for. */
const PYTHON_CONTROLS = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`;
const hexEscape = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`;
const upperHexEscape = (byte: number): string => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * C-like escapes of the backslash, the given quotes and control characters; with `bytes`, non-ASCII is written as
 * bytes too.
 */
const cLike = (
  quotes: string,
  control: (byte: number) => string,
  bytes: boolean,
  letters: Readonly<Record<string, string>> = C_CONTROLS,
): CharEncoding =>
  except((char) => {
    if (char === '\\' || quotes.includes(char)) return `\\${char}`;
    const written = char < ' ' || char === '\x7f' || (bytes && !isAscii(char));
    return written ? byteEscapes(char, control) : char;
  }, letters);

const cEncodings: CharEncoding[] = ['', "'", '"', `'"`, "'!"].flatMap((quotes) =>
  [octal, hexEscape, upperHexEscape].flatMap((control) => [
    cLike(quotes, control, false),
    cLike(quotes, control, true),
  ]),
);

const pythonEncodings: CharEncoding[] = ['', "'"].flatMap((quotes) => [
  cLike(quotes, hexEscape, false, PYTHON_CONTROLS),
  cLike(quotes, hexEscape, true, PYTHON_CONTROLS),
]);

const shellEncodings: CharEncoding[] = [
  except(asIs, { "'": `'\\''` }),
  except(asIs, { "'": `'"'"'` }),
  except(asIs, { "'": "''" }),
  except(asIs, { '"': '""' }),
  except(asIs, { $: '$$' }),
  backslash(/["$`\\]/),
  backslash(/["$`\\!]/),
  // bash printf %q, with and without the characters it escapes only in some versions or places
  backslash(/[ !"$&'()*,;<>?[\\\]^`{|}]/),
  backslash(/[ !"#$&'()*,;<>?[\\\]^`{|}~]/),
  backslash(/[ !"$&'()*;<>?[\\\]^`{|}]/),
  backslash(/[ !"#$&'()*;<=>?[\\\]^`{|}~]/),
  // zsh ${(q)…}
  except(backslash(/[ "#$&'()*;<>?[\\\]^`{|}]/), { '\n': "$'\\n'", '\r': "$'\\r'", '\t': "$'\\t'" }),
  backslash(/[^A-Za-z0-9_\-.,:+/@\n]/),
  backslash(/[^A-Za-z0-9_]/),
  // as a regular expression
  backslash(/[.*+?^${}()|[\]\\]/),
  backslash(/[.*+?^${}()|[\]\\/]/),
  backslash(/[\t-\r #$&()*+\-.?[\\\]^{|}~]/),
];

const percent = (kept: RegExp, space: string, upper: boolean): CharEncoding => {
  const write = (byte: number): string => {
    const hex = byte.toString(16).padStart(2, '0');
    return `%${upper ? hex.toUpperCase() : hex}`;
  };
  return (char) => {
    if (char === ' ') return space;
    return kept.test(char) ? char : byteEscapes(char, write);
  };
};

const percentEncodings: CharEncoding[] = [true, false].flatMap((upper) => [
  percent(/[A-Za-z0-9\-_.~]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.~]/, '+', upper),
  percent(/[A-Za-z0-9\-_.~/]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.!~*'()]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.!~*'()]/, '+', upper),
  percent(/[A-Za-z0-9*\-._]/, '+', upper),
  percent(/[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.~$&+=:@]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.~$&+,;=]/, '%20', upper),
  percent(/[A-Za-z0-9\-_.~!$%&'()*+,]/, '%20', upper),
]);

export const CHAR_ENCODINGS: readonly CharEncoding[] = [
  ...jsonEncodings,
  ...xmlEncodings,
  ...shellEncodings,
  ...cEncodings,
  ...pythonEncodings,
  ...percentEncodings,
];
