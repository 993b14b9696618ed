/** Every change that Stryker makes of the code of the rooms. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { filesOf, type Room } from './rooms.ts';

export interface Candidate {
  /** Of this state of the code. */
  readonly id: string;
  readonly room: string;
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  /** The whole file with the change in it. */
  readonly source: string;
}

export interface Enumeration {
  readonly candidates: readonly Candidate[];
  /** Path to text that does what the code does and counts which candidates it comes by. */
  readonly counting: ReadonlyMap<string, string>;
}

type InstrumenterLog = ConstructorParameters<typeof Instrumenter>[0];
type Ignorer = Parameters<Instrumenter['instrument']>[1]['ignorers'][number];
type Generated = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number];

const silent = () => undefined;
const log: InstrumenterLog = {
  ...{ isTraceEnabled: () => false, isDebugEnabled: () => false, isInfoEnabled: () => false },
  ...{ isWarnEnabled: () => false, isErrorEnabled: () => false, isFatalEnabled: () => false },
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
};

export async function enumerate(root: string, rooms: readonly Room[]): Promise<Enumeration> {
  const roomOf = new Map(
    rooms.flatMap((room) => filesOf(root, room).map((file) => [file, room.name] as const)),
  );
  const sources = new Map(
    [...roomOf.keys()].map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
  const { files, mutants } = await new Instrumenter(log).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [wordsOfTheLog] },
  );
  const candidates = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((mutant) => {
      const { fileName: file } = mutant;
      return candidateOf(mutant, roomOf.get(file) ?? '', sources.get(file) ?? '');
    });
  return { candidates, counting: new Map(files.map(({ name, content }) => [name, content])) };
}

/** Words in the log decide nothing. */
const wordsOfTheLog: Ignorer = {
  shouldIgnore: (path) => {
    const { type, callee } = (path as { node: { type: string; callee?: Callee } }).node;
    const isLogged = type === 'CallExpression' && callee !== undefined && isLog(callee);
    return isLogged ? 'a line of the log' : undefined;
  },
};

interface Callee {
  readonly name?: unknown;
  readonly object?: Callee;
  readonly property?: Callee;
  readonly id?: Callee;
}

function isLog({ object, property, id, name }: Callee): boolean {
  const words = [name, object?.name, object?.property?.name, object?.property?.id?.name];
  const isOfLogger = words.some((word) => word === 'log' || word === 'logger' || word === 'warn');
  return isOfLogger || property?.name === 'warn' || id?.name === 'warn';
}

/** Operators bind differently in their new place; those that replace a whole statement do not. */
const operators = /^(?:Logical|Equality|Arithmetic|Unary|Assignment)/;

function candidateOf(mutant: Generated, room: string, source: string): Candidate {
  const { id, fileName: file, location, replacement, mutatorName } = mutant;
  const start = offsetOf(source, location.start);
  const end = offsetOf(source, location.end);
  const placed = operators.test(mutatorName) ? `(${replacement})` : replacement;
  return {
    ...{ id, room, file, line: location.start.line + 1, replacement },
    original: source.slice(start, end),
    source: `${source.slice(0, start)}${placed}${source.slice(end)}`,
  };
}

/** Lines and columns from 0 on. */
function offsetOf(source: string, place: { readonly line: number; readonly column: number }) {
  let offset = 0;
  for (let line = 0; line < place.line; line += 1) offset = source.indexOf('\n', offset) + 1;
  return offset + place.column;
}
