/** Draws changes by chance: the same ones for the same seed and code, as many from every room. */
import { SeededRandom } from '../../simulation/seeded-random.ts';
import type { Candidate } from './candidates.ts';

export interface Draw {
  readonly seed: number;
  /** Of all rooms together. */
  readonly count: number;
  /** The number to pass over, so that a draw can be judged in portions. */
  readonly skip: number;
}

/** Of candidates that are each of another file, those that can be compiled. */
export type Passing = (candidates: readonly Candidate[]) => readonly Candidate[];

/** In turns from each room, so that every portion of a draw is as mixed as the whole. */
export function drawn(
  candidates: readonly Candidate[],
  { seed, count, skip }: Draw,
  passing: Passing,
): readonly Candidate[] {
  const rooms = [...Map.groupBy(candidates, ({ room }) => room).values()];
  const each = Math.ceil((skip + count) / rooms.length);
  const random = new SeededRandom(seed);
  const perRoom = rooms.map((ofRoom) =>
    firstPassing(random.branch(ofRoom[0]?.room ?? '').shuffled(ofRoom), each, passing),
  );
  const turns = Array.from({ length: each }, (_, turn) =>
    perRoom.flatMap((ofRoom) => ofRoom.slice(turn, turn + 1)),
  );
  return turns.flat().slice(skip, skip + count);
}

function firstPassing(order: readonly Candidate[], count: number, passing: Passing) {
  const found: Candidate[] = [];
  for (let rest = order; rest.length > 0 && found.length < count;) {
    const next = rest.slice(0, count - found.length);
    const compiled = new Set<Candidate>();
    for (const portion of ofDifferentFiles(next)) {
      for (const candidate of passing(portion)) compiled.add(candidate);
    }
    found.push(...next.filter((candidate) => compiled.has(candidate)));
    rest = rest.slice(next.length);
  }
  return found;
}

function ofDifferentFiles(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const byFile = [...Map.groupBy(candidates, ({ file }) => file).values()];
  const most = Math.max(...byFile.map((ofFile) => ofFile.length));
  return Array.from({ length: most }, (_, nth) =>
    byFile.flatMap((ofFile) => ofFile.slice(nth, nth + 1)),
  );
}
