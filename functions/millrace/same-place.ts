import type { Command, Option } from 'commander';
import { commandNamed } from './command-named.ts';
import { shellWord } from './terminal/shell-word.ts';

const places: ReadonlySet<string> = new Set(['kubeconfig', 'context', 'namespace']);

/** Adds the given cluster and namespace options to the next command, if it accepts them. Pure. */
export function inSamePlace(hint: string, asked: Command): string {
  const chain = chainOf(asked);
  const program = chain.at(-1) ?? asked;
  const [, verb = ''] = /^millrace (\S+)/.exec(hint) ?? [];
  const next = commandNamed(program, verb);
  if (next === undefined || hint.endsWith('--help')) return hint;
  const words = chain.flatMap((command) =>
    command.options
      .filter((option) => places.has(option.attributeName()))
      .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
      .filter((option) => isMissing(option, hint) && next.options.some(isSame(option)))
      .map((option) => {
        const value = command.getOptionValue(option.attributeName()) as string;
        return `${option.short ?? option.long ?? ''} ${shellWord(value)}`;
      }),
  );
  return [hint, ...words].join(' ');
}

/** The command and its parents. */
function chainOf(command: Command): readonly Command[] {
  return command.parent === null ? [command] : [command, ...chainOf(command.parent)];
}

function isMissing(option: Option, hint: string): boolean {
  const { short, long } = option;
  const given = hint.split(' ');
  if (option.attributeName() === 'namespace' && given.includes('-A')) return false;
  return ![short, long].some((flag) => flag !== undefined && given.includes(flag));
}

/** The same flag may have another meaning in another verb, such as the namespace of Millrace itself. */
function isSame({ flags, description }: Option) {
  return (other: Option): boolean => other.flags === flags && other.description === description;
}
