import type { Command } from 'commander';

/** Finds a command by its name or alias. */
export function commandNamed({ commands }: Command, word: string): Command | undefined {
  return commands.find((each) => [each.name(), ...each.aliases()].includes(word));
}
