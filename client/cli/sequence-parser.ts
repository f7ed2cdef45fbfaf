// Divides the output of a program into text and control sequences, as a terminal does (ECMA-48 and xterm), however it arrives in
// pieces.

/** Each returns what is to be shown in place of what was recognized. */
export interface SequenceHandlers {
  /** A control character in the text. */
  control(character: string): string;
  /** What follows `ESC [`, its last character included. */
  sequence(content: string): string;
  /** What stands between `ESC ]` and its end, if that is no longer than {@link KEPT_STRING}. */
  osc(content: string): string;
}

/** Text up to the next character with a meaning of its own. */
const TEXT = /[^\x00-\x08\x0a-\x1f\x7f-\x9f]+/y;
/** A longer sequence is not a control sequence. */
const LONGEST_SEQUENCE = 256;
/** A string that goes on after this, or after its line, is text: one that never ends must not hide the log. */
const LONGEST_STRING = 64 * 1024;
/** Longer strings are dropped whole. */
const KEPT_STRING = 4096;

/** C1 controls, which UTF-8 writes in two bytes, and the character that means the same after ESC. */
const C1_STARTS: Readonly<Record<string, string>> = {
  '\x90': 'P',
  '\x98': 'X',
  '\x9b': '[',
  '\x9d': ']',
  '\x9e': '^',
  '\x9f': '_',
};

type State = 'text' | 'escape' | 'intermediate' | 'sequence' | 'osc' | 'string' | 'stringEscape';

/** What a character after ESC begins; the strings other than OSC are DCS, SOS, PM and APC. */
const STARTS: Readonly<Record<string, State>> = {
  '[': 'sequence',
  ']': 'osc',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
};

const isBetween = (character: string, first: string, last: string) => character >= first && character <= last;

/** Strings other than OSC, and sequences after ESC other than `ESC [`, are dropped. */
export function createSequenceParser(handlers: SequenceHandlers) {
  let state: State = 'text';
  /** The unfinished sequence or OSC; null for a string that is dropped. */
  let kept: string | null = '';
  let length = 0;

  const become = (next: State): string => {
    state = next;
    kept = next === 'string' ? null : '';
    length = 0;
    return '';
  };
  /** Handles a character that ends a sequence without belonging to it. */
  const again = (character: string): string => {
    become('text');
    return isBetween(character, ' ', '~') || character > '\x9f' ? character : step.text(character);
  };
  const finish = (handle: (content: string) => string): string => {
    const content = kept;
    become('text');
    return content === null ? '' : handle(content);
  };
  const inString = (character: string): string => {
    if (character === '\x07' || character === '\x9c') return finish(handlers.osc);
    if (character === '\x18' || character === '\x1a') return become('text');
    if (character === '\n') return again(character);
    if (character === '\x1b') state = 'stringEscape';
    else if (++length > LONGEST_STRING) become('text');
    else kept = kept === null || length > KEPT_STRING ? null : kept + character;
    return '';
  };

  const step: Readonly<Record<State, (character: string) => string>> = {
    text(character) {
      if (character === '\x1b') return become('escape');
      const start = C1_STARTS[character];
      return start === undefined ? handlers.control(character) : become(STARTS[start] ?? 'text');
    },
    escape(character) {
      const start = STARTS[character];
      if (start !== undefined) return become(start);
      if (isBetween(character, ' ', '/')) return become('intermediate');
      return isBetween(character, '0', '~') ? become('text') : again(character);
    },
    intermediate(character) {
      if (isBetween(character, ' ', '/') && ++length < LONGEST_SEQUENCE) return '';
      return isBetween(character, '0', '~') ? become('text') : again(character);
    },
    sequence(character) {
      kept += character;
      if (isBetween(character, '@', '~')) return finish(handlers.sequence);
      return isBetween(character, ' ', '?') && ++length < LONGEST_SEQUENCE ? '' : again(character);
    },
    osc: inString,
    string: inString,
    stringEscape(character) {
      if (character === '\\') return finish(handlers.osc);
      become('escape');
      return step.escape(character);
    },
  };

  return {
    feed(text: string) {
      let shown = '';
      for (let at = 0; at < text.length; ) {
        TEXT.lastIndex = at;
        const plain = state === 'text' ? TEXT.exec(text)?.[0] : undefined;
        shown += plain ?? step[state](text.charAt(at));
        at += plain?.length ?? 1;
      }
      return shown;
    },
    /** Drops an unfinished sequence. */
    reset: () => void become('text'),
  };
}
