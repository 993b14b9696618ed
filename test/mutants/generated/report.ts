/** The printed report of the judgements. */
import type { Candidate } from './candidates.ts';
import type { Judgement } from './judge.ts';

export interface Judged {
  readonly candidate: Candidate;
  /** The reason of an equivalent; it was not run. */
  readonly equivalent?: string;
  readonly judgement?: Judgement;
}

export function lineOf({ candidate, equivalent, judgement }: Judged): string {
  const { file, line } = candidate;
  return `${file}:${line}  ${change(candidate)}  ${verdict(equivalent, judgement)}`;
}

function verdict(equivalent: string | undefined, judgement: Judgement | undefined): string {
  if (equivalent !== undefined) return `equivalent: ${equivalent}`;
  if (judgement === undefined) return 'not judged';
  const { simulation, tests, seconds } = judgement;
  const killers = [simulation, tests].filter((by) => by !== undefined).join(' | ');
  return `${killers === '' ? 'SURVIVED' : killers}  ${seconds.toFixed(1)} s`;
}

function change({ original, replacement }: Candidate): string {
  return `${short(original)} -> ${short(replacement)}`;
}

function short(code: string): string {
  const oneLine = code.replace(/\s+/g, ' ');
  return oneLine.length <= 70 ? oneLine : `${oneLine.slice(0, 67)}...`;
}

/** A row for each room, then all together. */
export function tableOf(all: readonly Judged[]): readonly string[] {
  const rooms = [...Map.groupBy(all, ({ candidate }) => candidate.room)];
  const rows = [...rooms, ['all', all] as const].map(([room, judged]) => rowOf(room, judged));
  const head = ['room', 'drawn', 'equivalent', 'killed', 'simulation alone', 'tests', 'survived'];
  return [head, ...rows].map((cells) =>
    cells
      .map((cell) => cell.padEnd(17))
      .join('')
      .trimEnd(),
  );
}

function rowOf(room: string, judged: readonly Judged[]): readonly string[] {
  const real = realOf(judged);
  const by = (suite: 'simulation' | 'tests') =>
    real.filter(({ judgement }) => judgement?.[suite] !== undefined).length;
  const killed = real.filter(isKilled).length;
  const share = (count: number) => `${count} (${percent(count, real.length)} %)`;
  return [
    ...[room, `${judged.length}`, `${judged.length - real.length}`, share(killed)],
    ...[share(by('simulation')), share(by('tests')), `${real.length - killed}`],
  ];
}

function percent(count: number, of: number): string {
  return of === 0 ? '-' : ((100 * count) / of).toFixed(1);
}

/** Of those that are not equivalent, how many are killed: from 0 to 1. */
export function killedShare(all: readonly Judged[]): number {
  const real = realOf(all);
  return real.length === 0 ? 1 : real.filter(isKilled).length / real.length;
}

export function survivors(all: readonly Judged[]): readonly Judged[] {
  return realOf(all).filter((judged) => !isKilled(judged));
}

/** The lines that the change touches, before and after. */
export function diffOf({ file, line, original, replacement, source }: Candidate): string {
  const after = source.split('\n');
  return [
    `${file}:${line}`,
    ...original
      .split('\n')
      .slice(0, 6)
      .map((text) => `  - ${text.trim()}`),
    ...replacement
      .split('\n')
      .slice(0, 6)
      .map((text) => `  + ${text.trim()}`),
    `  in: ${(after[line - 1] ?? '').trim()}`,
  ].join('\n');
}

function realOf(judged: readonly Judged[]): readonly Judged[] {
  return judged.filter(({ equivalent }) => equivalent === undefined);
}

function isKilled({ judgement }: Judged): boolean {
  return judgement?.simulation !== undefined || judgement?.tests !== undefined;
}
