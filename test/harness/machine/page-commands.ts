// The commands of a page of the documentation: its ```sh blocks, in their order.

export interface Block {
  /** Line of the page at which the commands begin, from 1. */
  readonly line: number;
  /** The nearest heading above. */
  readonly heading: string;
  /** Where they are run: the text of a comment above the block, such as `on each Mac`; null without one. */
  readonly where: string | null;
  readonly commands: string;
}

/** @example commandsOf('## Start\n\n```sh\nnpm start\n```\n') // [{ line: 4, heading: 'Start', where: null, commands: 'npm start\n' }] */
export function commandsOf(page: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let where: string | null = null;
  let open: { line: number; lines: string[] } | null = null;
  for (const [index, text] of page.split('\n').entries()) {
    if (open !== null && text !== '```') open.lines.push(text);
    else if (open !== null) {
      blocks.push({ line: open.line, heading, where, commands: `${open.lines.join('\n')}\n` });
      open = null;
      where = null;
    } else if (text === '```sh') open = { line: index + 2, lines: [] };
    else if (/^#+ /.test(text)) heading = text.replace(/^#+ /, '');
    else if (/^<!-- .* -->$/.test(text)) where = text.slice(5, -4);
    else if (text.trim() !== '') where = null;
  }
  return blocks;
}
