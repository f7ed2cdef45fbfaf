// Filters the output of a build for a terminal. It passes the sequences that a log needs for its layout and colors, and none
// with which a build could control the terminal, read from it or write to the clipboard.
import { createSequenceParser } from './sequence-parser.js';
import { allowedLink, allowedSequence, createRows } from './terminal-sequences.js';

const PASSED: ReadonlySet<string> = new Set('\n\r\b\t');

/**
 * Passes text, tabs, line ends and backspaces, colors and styles (SGR), movements and erasing within the line, movements up to
 * the log's first line, erasing below, and links to http(s) addresses (OSC 8). Drops all else: other strings (OSC, DCS, APC,
 * PM, SOS), queries, modes, resets, character sets, the bell.
 *
 * @example createTerminalFilter().write(Buffer.from('\x1b[31mred\x1b]52;c;eA==\x07\x1b[6n')) // '\x1b[31mred'
 */
export function createTerminalFilter() {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const rows = createRows();
  let hasStyle = false;
  let hasLink = false;
  const parser = createSequenceParser({
    control(character) {
      if (character === '\n') rows.next();
      return PASSED.has(character) ? character : '';
    },
    sequence(content) {
      const allowed = allowedSequence(content, rows);
      if (allowed.endsWith('m')) hasStyle = allowed !== '\x1b[m' && allowed !== '\x1b[0m';
      return allowed;
    },
    osc(content) {
      const link = allowedLink(content);
      if (link === null) return '';
      hasLink = link.opens;
      return link.text;
    },
  });
  return {
    /** Returns what may be shown of the next bytes, however the log is divided. */
    write: (bytes: Uint8Array) => parser.feed(decoder.decode(bytes, { stream: true })),
    /** Returns what ends styles and links that are open, before other text. An unfinished sequence is dropped. */
    end() {
      const rest = parser.feed(decoder.decode());
      const end = `${hasLink ? '\x1b]8;;\x1b\\' : ''}${hasStyle ? '\x1b[0m' : ''}`;
      parser.reset();
      rows.begin();
      hasLink = false;
      hasStyle = false;
      return rest + end;
    },
  };
}
