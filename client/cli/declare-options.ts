// Turns option specs into commander options.
import { type Command, InvalidArgumentError } from 'commander';
import type { OptionSpec, ValueReader } from './options.js';

/** Adds options to a command. */
export function declareOptions(command: Command, specs: readonly OptionSpec[]): Command {
  for (const { name, value, description, reader } of specs) {
    const flags = value === undefined ? `--${name}` : `--${name} <${value}>`;
    if (reader) command.option(flags, description, argumentReader(reader));
    else command.option(flags, description);
  }
  return command;
}

/** Adapts a reader to commander: an invalid value is a usage error. */
export function argumentReader<T>(reader: ValueReader<T>): (text: string) => T {
  return (text) => {
    const value = reader.read(text);
    if (value === null) throw new InvalidArgumentError(reader.hint);
    return value;
  };
}
