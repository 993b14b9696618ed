import type { Command } from 'commander';

/** By its name or its second name. */
export function commandNamed({ commands }: Command, word: string): Command | undefined {
  return commands.find((each) => [each.name(), ...each.aliases()].includes(word));
}
