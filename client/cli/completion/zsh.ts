import { allNodes, type CommandNode, type OptionNode, optionsAt, type ValueKind } from './tree.js';

/** A completion script for zsh: a function for each command that dispatches to those below it. */
export function zshCompletion(root: CommandNode): string {
  const functions = allNodes(root).map((node) => {
    const specs = [...optionsAt(node, root).map(optionSpec), ...argumentSpecs(node)];
    const lines = [`${functionName(node)}() {`];
    if (node.children.length > 0) lines.push('  local context state line');
    lines.push(`  _arguments -C -s \\\n${specs.map((spec) => `    ${quote(spec)}`).join(' \\\n')}`);
    if (node.children.length > 0) {
      const described = node.children.map((child) => quote(`${child.path.at(-1)}:${plain(child.description)}`));
      const cases = node.children.map((child) => `      ${child.path.at(-1)}) ${functionName(child)} ;;`);
      lines.push(
        '  case $state in',
        '  command)',
        `    local -a commands=(${described.join(' ')})`,
        '    _describe -t commands command commands ;;',
        '  rest)',
        '    case $line[1] in',
        ...cases,
        '    esac ;;',
        '  esac',
      );
    }
    return [...lines, '}'].join('\n');
  });
  return `#compdef cidermill\n# zsh completion for cidermill\n${functions.join('\n\n')}\n\n_cidermill "$@"\n`;
}

const functionName = (node: CommandNode) =>
  ['_cidermill', ...node.path.map((name) => name.replaceAll('-', '_'))].join('_');

function optionSpec({ flags, description, value }: OptionNode): string {
  const names = flags.length > 1 ? `(${flags.join(' ')})` : '';
  const action = value === null ? '' : `:value:${valueAction(value)}`;
  // A brace expansion needs to stand outside of quotes; one spec for the long form says the same.
  return `${names}${flags.at(-1)}[${plain(description)}]${action}`;
}

function argumentSpecs(node: CommandNode): string[] {
  if (node.children.length > 0) return ['1: :->command', '*:: :->rest'];
  return node.arguments.map((value, at) => `${at + 1}:argument:${valueAction(value)}`);
}

function valueAction(value: ValueKind): string {
  if (value === 'folder') return '_files -/';
  if (value === 'file') return '_files';
  return value === 'other' ? ' ' : `(${value.join(' ')})`;
}

/** Escapes the syntax of _arguments and _describe. */
const plain = (text: string) => text.replace(/[[\]:\\]/g, ' ');
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
