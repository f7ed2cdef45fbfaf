import { allNodes, type CommandNode, optionsAt, type ValueKind } from './tree.js';

/** A completion script for bash. */
export function bashCompletion(root: CommandNode): string {
  const nodes = allNodes(root);
  const steps = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(step(path)));
  const values = nodes.flatMap((node) =>
    optionsAt(node, root).flatMap(({ flags, value }) =>
      value === null
        ? []
        : [`    ${flags.map((flag) => quote(at(node.path, flag))).join(' | ')}) ${reply(value)}; return ;;`],
    ),
  );
  const words = nodes.map((node) => {
    const { path, children } = node;
    const first = node.arguments[0];
    const names = children.map((child) => child.path.at(-1)!);
    const choices = Array.isArray(first) ? first : [];
    const all = [...names, ...choices, ...optionsAt(node, root).flatMap(({ flags }) => flags)];
    return `    ${quote(path.join(' '))}) words=${quote(all.join(' '))} ;;`;
  });
  return `# bash completion for cidermill
_cidermill() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
    ${steps.join(' | ')}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path $prev" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _cidermill cidermill
`;
}

/** A known path followed by its last word, as the loop above builds it: `secrets set`, ` build`. */
const step = (path: string[]) => at(path.slice(0, -1), path.at(-1)!);
const at = (path: string[], word: string) => `${path.join(' ')} ${word}`;
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function reply(value: ValueKind): string {
  if (value === 'folder') return 'COMPREPLY=($(compgen -d -- "$cur"))';
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$cur"))';
  if (value === 'other') return 'COMPREPLY=()';
  return `COMPREPLY=($(compgen -W ${quote(value.join(' '))} -- "$cur"))`;
}
