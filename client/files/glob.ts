// Translates one glob of an ignore file into a regular expression over bytes.
// Like git, it compares paths and globs as bytes, so `?` is one byte in any encoding. The package `ignore` compares characters.

const NEVER = null;

/** Text as one character per byte of its UTF-8 form. */
export function byteString(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * The regular expression for a glob, or null for one that can never match (an open bracket, a lone
 * backslash at the end).
 *
 * @param glob a byte string
 * @param options.pathname wildcards stop at slashes and `**` between slashes spans folders; without it
 *   the glob is held against a name that has no slash
 */
export function globToRegExp(glob: string, options: { pathname: boolean; ignoreCase: boolean }): RegExp | null {
  const { pathname } = options;
  const anyByte = pathname ? '[^/]' : '[^]';
  // A glob that begins after literal text begins there as far as `**` is concerned: git compares the
  // literal part by itself first.
  const start = glob.search(/[*?[\\]/);
  let source = '';
  let at = 0;
  while (at < glob.length) {
    const byte = glob[at]!;
    if (byte === '*') {
      let end = at;
      while (glob[end] === '*') end++;
      const opens = at === start || glob[at - 1] === '/';
      const next = glob[end] === '\\' ? glob[end + 1] : glob[end];
      if (pathname && end - at >= 2 && opens && (next === undefined || next === '/')) {
        source += next === undefined ? '[^]*' : '(?:[^]*/)?';
        at = next === undefined ? end : glob.indexOf('/', end) + 1;
      } else {
        source += `${anyByte}*`;
        at = end;
      }
    } else if (byte === '?') {
      source += anyByte;
      at++;
    } else if (byte === '[') {
      const bracket = parseBracket(glob, at);
      if (!bracket) return NEVER;
      source += classOf(bracket.bytes, pathname);
      at = bracket.end;
    } else if (byte === '\\') {
      if (at + 1 >= glob.length) return NEVER;
      source += literal(glob[at + 1]!);
      at += 2;
    } else {
      source += literal(byte);
      at++;
    }
  }
  return new RegExp(`^${source}$`, options.ignoreCase ? 'i' : '');
}

const literal = (byte: string) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;

function classOf(bytes: boolean[], pathname: boolean): string {
  let members = '';
  for (let code = 1; code < 256; code++) {
    if (bytes[code] && !(pathname && code === 0x2f)) members += literal(String.fromCharCode(code));
  }
  return `[${members}]`;
}

/** Reads `[…]` from its opening bracket; null when it is never closed or names an unknown class. */
function parseBracket(glob: string, open: number): { bytes: boolean[]; end: number } | null {
  const bytes: boolean[] = new Array(256).fill(false);
  let at = open + 1;
  const negated = glob[at] === '!' || glob[at] === '^';
  if (negated) at++;
  let previous = -1; // Start of a possible range; -1 right after a range or a class.
  for (let first = true; first || glob[at] !== ']'; first = false) {
    if (at >= glob.length) return null;
    if (glob.startsWith('[:', at)) {
      const close = glob.indexOf(']', at + 2);
      if (close < 0) return null;
      if (close > at + 2 && glob[close - 1] === ':') {
        const member = CLASSES[glob.slice(at + 2, close - 1)];
        if (!member) return null;
        for (let code = 0; code < 128; code++) if (member.test(String.fromCharCode(code))) bytes[code] = true;
        previous = -1;
        at = close + 1;
        continue;
      }
    }
    const isRange = glob[at] === '-' && previous >= 0 && at + 1 < glob.length && glob[at + 1] !== ']';
    if (isRange) at++;
    if (glob[at] === '\\') at++;
    if (at >= glob.length) return null;
    const code = glob.charCodeAt(at);
    if (isRange) for (let member = previous; member <= code; member++) bytes[member] = true;
    bytes[code] = isRange ? bytes[code]! : true;
    previous = isRange ? -1 : code;
    at++;
  }
  return { bytes: negated ? bytes.map((member) => !member) : bytes, end: at + 1 };
}

const CLASSES: Record<string, RegExp | undefined> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[\x21-\x7e]/,
  lower: /[a-z]/,
  print: /[\x20-\x7e]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};
