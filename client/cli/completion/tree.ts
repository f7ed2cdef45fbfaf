// The command tree for completion scripts, read from the commands.
import type { Argument, Command, Option } from 'commander';

/** Completions of a value. */
export type ValueKind = 'folder' | 'file' | 'other' | readonly string[];

export interface OptionNode {
  /** `-f`, `--follow`, or both; the root's options are accepted everywhere. */
  flags: string[];
  description: string;
  /** Null for an option without a value. */
  value: ValueKind | null;
}

export interface CommandNode {
  /** Names from the root's first subcommand down; empty for the root. */
  path: string[];
  description: string;
  options: OptionNode[];
  /** What its own arguments may be. */
  arguments: ValueKind[];
  children: CommandNode[];
}

/** Reads a command and everything below it. */
export function completionTree(root: Command): CommandNode {
  const help = { flags: ['-h', '--help'], description: 'show help', value: null };
  const node = (command: Command, path: string[]): CommandNode => ({
    path,
    description: command.description(),
    options: [...command.options.map(optionNode), ...(path.length === 0 ? [help] : [])],
    arguments: command.registeredArguments.map(argumentKind),
    children: command.commands.map((child) => node(child, [...path, child.name()])),
  });
  return node(root, []);
}

/** The options that may follow a command: its own and the root's. */
export function optionsAt(node: CommandNode, root: CommandNode): OptionNode[] {
  return node === root ? root.options : [...node.options, ...root.options];
}

/** Every node, the root first. */
export function allNodes(root: CommandNode): CommandNode[] {
  return [root, ...root.children.flatMap(allNodes)];
}

function optionNode(option: Option): OptionNode {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const takesValue = option.required || option.optional;
  return {
    flags,
    description: option.description,
    value: takesValue ? valueKind(option.argChoices, option.flags) : null,
  };
}

function argumentKind(argument: Argument): ValueKind {
  return valueKind(argument.argChoices, argument.name());
}

function valueKind(choices: string[] | undefined, name: string): ValueKind {
  if (choices) return choices;
  if (name.includes('folder')) return 'folder';
  return name.includes('file') ? 'file' : 'other';
}
