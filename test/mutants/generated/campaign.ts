/** `npm run mutants -- --generated N`: draws, judges on all cores, and sums up. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScratchTree } from '../scratch-tree.ts';
import { type Candidate, enumerate } from './candidates.ts';
import { type Draw, drawn } from './draw.ts';
import { markOf } from './equivalents.ts';
import { Judge } from './judge.ts';
import { reachOf } from './reach.ts';
import { diffOf, type Judged, killedShare, lineOf, survivors, tableOf } from './report.ts';
import { rooms } from './rooms.ts';
import { TypeCheck } from './type-check.ts';

export interface Campaign extends Draw {
  readonly rooms: readonly string[];
  /** Of what is drawn, those whose files have one of these texts in their paths. */
  readonly only: readonly string[];
  /** For each mutant. */
  readonly seeds: number;
  readonly workers: number;
  readonly print: (line: string) => void;
}

/** Of those that are not equivalent. */
const leastKilled = 0.95;

/** Whether enough of them were killed. */
export async function runCampaign(campaign: Campaign): Promise<boolean> {
  const { print, seeds } = campaign;
  // One state of the code for all of it, whatever is edited meanwhile.
  await using tree = await ScratchTree.create();
  const enumeration = await enumerate(tree.path, rooms);
  const types = new TypeCheck(tree.path);
  const wanted = enumeration.candidates.filter(({ room }) => campaign.rooms.includes(room));
  const candidates = drawn(wanted, campaign, (some) => types.passing(some)).filter(({ file }) =>
    campaign.only.some((text) => file.includes(text)),
  );
  print(`${wanted.length} possible, ${candidates.length} drawn`);
  const reach = await reachOf(tree.path, enumeration, seeds);
  for (const file of reach.unsound) print(`fails without any mutant, so it is not asked: ${file}`);
  const judged = await judgeAll(candidates, new Judge(reach, seeds), tree.path, campaign);
  for (const { candidate } of survivors(judged)) print(`\n${diffOf(candidate)}`);
  print('');
  for (const row of tableOf(judged)) print(row);
  return killedShare(judged) >= leastKilled;
}

async function judgeAll(
  candidates: readonly Candidate[],
  judge: Judge,
  from: string,
  { workers, print }: Campaign,
): Promise<readonly Judged[]> {
  const rest = [...candidates];
  const judged: Judged[] = [];
  const work = async (): Promise<void> => {
    await using tree = await ScratchTree.create(from);
    for (let candidate = rest.shift(); candidate !== undefined; candidate = rest.shift()) {
      const result = await judgedIn(tree, candidate, judge);
      judged.push(result);
      print(lineOf(result));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return judged;
}

async function judgedIn(tree: ScratchTree, candidate: Candidate, judge: Judge): Promise<Judged> {
  const original = readFileSync(join(tree.path, candidate.file), 'utf8');
  const mark = markOf(candidate, original);
  if (mark !== undefined) return { candidate, equivalent: mark.reason };
  return { candidate, judgement: await judge.judge(tree, candidate) };
}
