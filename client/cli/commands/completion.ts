import { Argument, Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { completionTree } from '../completion/tree.js';
import { zshCompletion } from '../completion/zsh.js';
import { contextOf } from '../program.js';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `cidermill completion bash|zsh|fish` */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
bash: cidermill completion bash > ~/.local/share/bash-completion/completions/cidermill
zsh:  cidermill completion zsh > "\${fpath[1]}/_cidermill"
fish: cidermill completion fish > ~/.config/fish/completions/cidermill.fish`,
    )
    .action((shell: keyof typeof SHELLS, _options: unknown, command: Command) => {
      const root = command.parent;
      if (root) contextOf(root).stdout.write(SHELLS[shell](completionTree(root)));
    });
}
