/** Turns an error of commander into a failure like any other: what is wrong, and the next command. */
import type { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '#shared/api/fault.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { commandNamed } from './command-named.ts';
import { shellWord } from './terminal/shell-word.ts';

/** `words`: the words after the name of the program. */
export function usageFailure(
  program: Command,
  words: readonly string[],
  { code, message }: Pick<CommanderError, 'code' | 'message'>,
): CommandFailure {
  // `help VERB` is about the verb.
  const about = words[0] === 'help' ? words.slice(1) : words;
  const verb = about.find((word) => commandNamed(program, word) !== undefined);
  if (code === 'commander.unknownOption' && verb !== undefined && about[0]?.startsWith('-')) {
    const behind = about.filter((word) => word !== verb).map(shellWord);
    const message = 'options stand behind the verb';
    return new CommandFailure(exitCodes.usage, message, ['millrace', verb, ...behind].join(' '));
  }
  const { command, path, rest } = commandIn(program, about);
  const called = ['millrace', ...path].join(' ');
  const [word] = rest;
  const isUnknown = code === 'commander.unknownCommand' || code === 'commander.excessArguments';
  if (!isUnknown || word === undefined || command.commands.length === 0) {
    return new CommandFailure(exitCodes.usage, plain(message), `${called} --help`);
  }
  const near = didYouMean(word, command.commands.flatMap(namesOf));
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const place = path.length === 0 ? '' : ` of \`${called}\``;
  return new CommandFailure(
    exitCodes.usage,
    `unknown command '${word}'${place}${hint}`,
    `${called}${near === undefined ? '' : ` ${near}`} --help`,
  );
}

/** Whether a line that cannot be parsed requests JSON. */
export function asksForJson(words: readonly string[]): boolean {
  const line = ` ${words.join(' ')} `;
  return / (?:--json|(?:-o|--output)[ =]?json) /.test(line);
}

interface Typed {
  readonly command: Command;
  readonly path: readonly string[];
  /** The arguments of the command. */
  readonly rest: readonly string[];
}

function commandIn(program: Command, words: readonly string[]): Typed {
  let command = program;
  const path: string[] = [];
  const rest: string[] = [];
  let isValue = false;
  for (const word of words) {
    const known = [...command.options, ...program.options];
    const isOption: boolean = !isValue && word.startsWith('-');
    const verb = rest.length === 0 ? commandNamed(command, word) : undefined;
    if (isOption || isValue) {
      isValue = isOption && known.some((each) => each.required && isNamed(each, word));
    } else if (verb === undefined) {
      rest.push(word);
    } else {
      command = verb;
      path.push(verb.name());
    }
  }
  return { command, path, rest };
}

function isNamed({ short, long }: Option, word: string): boolean {
  return word === short || word === long;
}

function namesOf(command: Command): readonly string[] {
  return [command.name(), ...command.aliases()];
}

/** Rewrites commander's message in the style of Millrace's own failures. */
function plain(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.+)\)$/, '; did you mean $1')
    .replace(
      /^command-argument value ('.*') is invalid for argument '(.+?)'\. /s,
      'argument <$2> $1 is invalid. ',
    )
    .replace(/ is invalid\. (\S)/, (_, letter: string) => ` is invalid: ${letter.toLowerCase()}`)
    .replace(/: allowed choices are /, ': it is one of ')
    .replace(/^required option '(.+)' not specified$/, "option '$1' is missing")
    .replace(/^missing required argument '(.+)'$/, 'argument <$1> is missing')
    .replace(/\.$/, '');
}

/** As kubectl takes them: `-o=json` is `-o json`. What follows `--` stays as it is. Pure. */
export function withoutEqualsSigns(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return words.map((word, index) =>
    end < 0 || index < end ? word.replace(/^(-[A-Za-z])=(?=.)/s, '$1') : word,
  );
}
