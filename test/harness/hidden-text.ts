// Characters that must not reach programs that read about builds: they hide text, reverse it or act as control sequences.

/** One example of every kind, by name. */
export const hidden: Readonly<Record<string, string>> = {
  bell: '\x07',
  backspace: '\b',
  delete: '\x7f',
  'C1 control': '\x9b',
  'next line': '\x85',
  'color of a terminal': '\x1b[31m',
  'title of a terminal': '\x1b]0;gone\x07',
  'left-to-right mark': '\u200e',
  'right-to-left override': '\u202e',
  'embedding and its end': '\u202a\u202c',
  'isolate and its end': '\u2066\u2069',
  'Arabic letter mark': '\u061c',
  'zero width space': '\u200b',
  'zero width joiner': '\u200d',
  'word joiner': '\u2060',
  'invisible times': '\u2062',
  'byte order mark': '\ufeff',
  'soft hyphen': '\u00ad',
  'Mongolian vowel separator': '\u180e',
  'Hangul filler': '\u3164',
  'Hangul choseong filler': '\u115f',
  'halfwidth Hangul filler': '\uffa0',
  'combining grapheme joiner': '\u034f',
  'variation selector': '\ufe0f',
  'supplementary variation selectors': '\u{e0100}\u{e01ef}',
  tags: '\u{e0001}\u{e0041}\u{e007f}',
  'musical control': '\u{1d173}',
  'interlinear annotation': '\ufff9',
  'private use': '\ue000\u{10fffd}',
  'lone surrogate': '\ud800',
  unassigned: '\u{e0fff}',
  noncharacter: '\uffff',
  'line separator': '\u2028',
  'paragraph separator': '\u2029',
};

/** Matches any of them except line feed and tab. */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
