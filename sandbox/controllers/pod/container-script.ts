/**
 * Predicts the effect of a container's command from its text: a plain `sleep N`, `exit N` and `echo`, alone or in a
 * shell script. Any other command counts as finished at once, with success.
 */
import { shellTokens } from './shell-words.ts';

export interface Script {
  /** Milliseconds after the start. Infinity for `sleep infinity`. Undefined: the command does not say. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
  /** The lines of the log, in order. */
  readonly output: readonly { readonly atMs: number; readonly text: string }[];
}

const shells = new Set(['sh', 'bash', 'ash', 'dash', 'zsh', 'ksh']);

/** `argv`: command and args after the kubelet's expansion of `$(NAME)`. Undefined: nothing is understood. */
export function readScript(
  argv: readonly string[],
  environment: ReadonlyMap<string, string>,
): Script | undefined {
  const [program = '', ...args] = argv;
  const run = new Run(environment);
  if (!shells.has(baseName(program))) {
    run.execute(argv, false);
    return run.knows ? run.result() : undefined;
  }
  const flags = args.findIndex((arg) => !arg.startsWith('-'));
  const options = args.slice(0, flags === -1 ? args.length : flags).join('');
  const script = args[flags];
  if (script === undefined || !options.includes('c')) return undefined;
  run.stopsOnError = options.includes('e');
  return run.interpret(script) ? run.result() : undefined;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const msByUnit: Readonly<Record<string, number>> = {
  '': 1000,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `1.5`, `10s`, `2m`, `infinity` of GNU sleep. Undefined: none of these. */
function sleepMs(text: string): number | undefined {
  if (/^inf(inity)?$/i.test(text)) return Infinity;
  const match = /^(\d+(?:\.\d+)?|\.\d+)([smhd]?)$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (msByUnit[match[2] ?? ''] ?? 1000);
}

class Run {
  stopsOnError = false;
  /** Whether any of the commands is understood. */
  knows = false;
  readonly #variables: Map<string, string>;
  readonly #output: { atMs: number; text: string }[] = [];
  #elapsedMs = 0;
  #saysHowLong = false;
  #status = 0;
  #hasExited = false;

  constructor(environment: ReadonlyMap<string, string>) {
    this.#variables = new Map(environment);
  }

  result(): Script {
    return {
      runMs: this.#saysHowLong ? this.#elapsedMs : undefined,
      exitCode: this.#status,
      output: this.#output,
    };
  }

  /** False: not a plain script. */
  interpret(script: string): boolean {
    let words: string[] = [];
    let isSilent = false;
    let isSkipped = false;
    const finish = (separator: ';' | '&&' | '||') => {
      const hasRun = words.length > 0 && !isSkipped && !this.#hasExited;
      if (hasRun) this.execute(words, isSilent);
      if (hasRun && this.stopsOnError && separator === ';') this.#hasExited ||= this.#status !== 0;
      isSkipped =
        (separator === '&&' && this.#status !== 0) || (separator === '||' && this.#status === 0);
      words = [];
      isSilent = false;
    };
    for (const token of shellTokens(script, this.#variables)) {
      if (token === undefined) return false;
      if (token.kind === 'separator') finish(token.text);
      else if (token.kind === 'redirection') isSilent ||= token.toFile;
      else words.push(token.text);
    }
    finish(';');
    return true;
  }

  execute(words: readonly string[], isSilent: boolean): void {
    const command = this.#assigned(words);
    const [name = '', ...args] = command;
    if (command.length === 0) return;
    switch (baseName(name)) {
      case 'echo':
        this.#echo(args, isSilent);
        break;
      case 'sleep':
        this.#sleep(args);
        break;
      case 'exit':
        this.#exit(args);
        break;
      case 'true':
      case ':':
        this.#ends(0);
        break;
      case 'false':
        this.#ends(1);
        break;
      case 'set':
        if (args.some((arg) => /^-\w*e/.test(arg))) this.stopsOnError = true;
        this.#ends(0);
        break;
      case 'exec':
        this.execute(args, isSilent);
        break;
      default:
        this.#status = 0;
    }
  }

  /** Removes leading `NAME=value` words. */
  #assigned(words: readonly string[]): readonly string[] {
    const first = words.findIndex((word) => !/^\w+=/.test(word) && word !== 'export');
    for (const word of words.slice(0, first === -1 ? words.length : first)) {
      const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
      if (name !== undefined) this.#variables.set(name, value ?? '');
    }
    return first === -1 ? [] : words.slice(first);
  }

  #ends(status: number): void {
    this.knows = true;
    this.#status = status;
  }

  #echo(args: readonly string[], isSilent: boolean): void {
    const first = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const flags = args.slice(0, first === -1 ? args.length : first).join('');
    const text = first === -1 ? '' : args.slice(first).join(' ');
    const shown = flags.includes('e') ? text.replaceAll('\\n', '\n').replaceAll('\\t', '\t') : text;
    const end = flags.includes('n') ? '' : '\n';
    if (!isSilent) this.#output.push({ atMs: this.#elapsedMs, text: shown + end });
    this.#ends(0);
  }

  #sleep(args: readonly string[]): void {
    const durations = args.map(sleepMs).filter((ms) => ms !== undefined);
    if (durations.length < args.length || args.length === 0) {
      this.#ends(1);
      return;
    }
    this.#elapsedMs += durations.reduce((sum, ms) => sum + ms, 0);
    this.#saysHowLong = true;
    this.#hasExited ||= this.#elapsedMs === Infinity;
    this.#ends(0);
  }

  #exit([code]: readonly string[]): void {
    this.#saysHowLong = true;
    this.#hasExited = true;
    this.#ends(code !== undefined && /^\d+$/.test(code) ? Number(code) & 255 : this.#status);
  }
}
