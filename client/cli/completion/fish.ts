import { allNodes, type CommandNode, type OptionNode, type ValueKind } from './tree.js';

/** A completion script for fish. */
export function fishCompletion(root: CommandNode): string {
  const lines = allNodes(root).flatMap((node) => {
    const when = condition(node);
    return [
      ...node.children.map(
        (child) => `complete -c cidermill -n ${quote(when)} -f -a ${child.path.at(-1)} -d ${quote(child.description)}`,
      ),
      ...(Array.isArray(node.arguments[0])
        ? [`complete -c cidermill -n ${quote(when)} -f -a ${quote(node.arguments[0].join(' '))}`]
        : []),
      ...(node.path.length > 0 ? node.options : []).map((option) => optionLine(option, when)),
    ];
  });
  const shared = root.options.map((option) => optionLine(option, null));
  return `# fish completion for cidermill\n${[...shared, ...lines].join('\n')}\n`;
}

/** True where the words so far name the node and none of its children. */
function condition(node: CommandNode): string {
  const names = node.children.map((child) => child.path.at(-1)!).join(' ');
  if (node.path.length === 0) return '__fish_use_subcommand';
  const seen = node.path.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ');
  return names === '' ? seen : `${seen}; and not __fish_seen_subcommand_from ${names}`;
}

function optionLine({ flags, description, value }: OptionNode, when: string | null): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');
  const where = when === null ? '' : ` -n ${quote(when)}`;
  return `complete -c cidermill${where} ${names} -d ${quote(description)}${valueFlags(value)}`;
}

function valueFlags(value: ValueKind | null): string {
  if (value === null) return '';
  if (value === 'file') return ' -r -F';
  if (value === 'folder') return " -x -a '(__fish_complete_directories)'";
  return value === 'other' ? ' -x' : ` -x -a ${quote(value.join(' '))}`;
}

const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
