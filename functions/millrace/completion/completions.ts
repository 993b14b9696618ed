/** The words that fit at the cursor: from the declared verbs, and for names from the cluster. */
import type { Argument, Command, Option } from 'commander';
import { setOwnMember } from '#shared/domain/own-member.ts';
import { commandNamed } from '../command-named.ts';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The shell completes a path. */
  readonly isPath: boolean;
}

/** The verb, and the options before the cursor that choose a cluster and a namespace. */
export interface Asked {
  readonly verb: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  /** What stands before the slash of KIND/NAME. Absent: objects of any kind are offered. */
  readonly kind?: string;
}

type NamesOf = (asked: Asked) => Promise<readonly Candidate[]>;

/** Candidates for arguments and option values with these names. */
export interface KnownNames {
  /** Names of objects. */
  readonly name: NamesOf;
  readonly namespace: NamesOf;
  readonly function: NamesOf;
}

/** `words`: the words after the name of the program. The last one is unfinished and may be empty. */
export async function completionsOf(
  program: Command,
  words: readonly string[],
  known: KnownNames,
): Promise<Completion> {
  // An empty pair of quotes means an empty word: PowerShell can send no other.
  const unfinished = (words.at(-1) ?? '').replace(/^(?:""|'')$/, '');
  const place = placeOf(program, words.slice(0, -1));
  const { command, option, argument } = place;
  const asked: Asked = { verb: command.name(), ...place.chosen };
  const value = option?.name();
  if (value === 'function' || value === 'namespace')
    return matching(await known[value](asked), unfinished);
  if (option !== undefined) return ofChoices(option.argChoices, unfinished, isPath(option.name()));
  if (unfinished.startsWith('-')) return matching(optionsOf(command), unfinished);
  const verbs = command.commands.map((each) => ({
    value: each.name(),
    description: each.summary() || each.description(),
  }));
  if (argument === undefined) return matching(verbs, unfinished);
  if (argument.argChoices !== undefined) return ofChoices(argument.argChoices, unfinished, false);
  const named = argument.name();
  if (named !== 'name' && named !== 'function') return ofChoices(undefined, unfinished, true);
  const [, kind] = /^(.*?)\//.exec(unfinished) ?? [];
  const names = await known[named](kind === undefined ? asked : { ...asked, kind });
  return matching([...verbs, ...names], unfinished);
}

interface Place {
  readonly command: Command;
  /** The option whose value is completed. */
  readonly option: Option | undefined;
  /** The argument that is completed. */
  readonly argument: Argument | undefined;
  readonly chosen: Omit<Asked, 'verb'>;
}

function placeOf(program: Command, finished: readonly string[]): Place {
  let command = program;
  let option: Option | undefined;
  let position = 0;
  const chosen: Record<string, string> = {};
  for (const word of finished) {
    const valued = option?.name() ?? '';
    option = undefined;
    if (valued !== '') {
      if (choosing.has(valued)) setOwnMember(chosen, valued, word);
      continue;
    }
    const verb = commandNamed(command, word);
    if (word.startsWith('-')) option = takenBy(command).find((each) => takesValue(each, word));
    else if (verb === undefined) position += 1;
    else [command, position] = [verb, 0];
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
  return { command, option, argument, chosen };
}

/** Options that decide what exists. */
const choosing: ReadonlySet<string> = new Set(['kubeconfig', 'context', 'namespace']);

function takesValue(option: Option, word: string): boolean {
  const { short, long, required, optional } = option;
  return (word === short || word === long) && (required || optional);
}

const paths: ReadonlySet<string> = new Set(['kubeconfig', 'kubeconfig-out', 'file', 'persist']);

function isPath(option: string): boolean {
  return paths.has(option);
}

/** Its own options and those of the verb above it, as of `queue` for `queue retry`. */
function takenBy({ options, parent }: Command): readonly Option[] {
  const isBelowVerb = parent !== null && parent.parent !== null;
  const own = new Set(options.map(({ long }) => long));
  const above = isBelowVerb ? parent.options.filter(({ long }) => !own.has(long)) : [];
  return [...options, ...above];
}

function optionsOf(command: Command): readonly Candidate[] {
  return [
    ...takenBy(command),
    { long: '--help', description: 'display help for command', hidden: false },
  ]
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ value: long ?? '', description }));
}

function ofChoices(
  choices: readonly string[] | undefined,
  unfinished: string,
  path: boolean,
): Completion {
  const values = (choices ?? []).map((value) => ({ value, description: '' }));
  return { ...matching(values, unfinished), isPath: path };
}

function matching(all: readonly Candidate[], unfinished: string): Completion {
  return { candidates: all.filter(({ value }) => value.startsWith(unfinished)), isPath: false };
}
