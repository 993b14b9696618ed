/** The findings of all groups as text: first the summary, then a block per group. */
import type { Finding, Verdict } from './examination.ts';

export interface GroupOfFindings {
  readonly group: string;
  readonly findings: readonly Finding[];
}

/** Verdicts as words, so that users can search for them. */
const words: Readonly<Record<Verdict, string>> = {
  ok: 'ok  ',
  warn: 'WARN',
  fail: 'FAIL',
  skip: 'skip',
};

export function reportText(groups: readonly GroupOfFindings[]): readonly string[] {
  return [
    summaryOf(groups),
    ...groups.flatMap(({ group, findings }) => ['', group, ...findings.flatMap(linesOf)]),
  ];
}

export function countOf(groups: readonly GroupOfFindings[], verdict: Verdict): number {
  return groups.flatMap(({ findings }) => findings).filter((each) => each.verdict === verdict)
    .length;
}

function summaryOf(groups: readonly GroupOfFindings[]): string {
  const all = groups.flatMap(({ findings }) => findings).length;
  const [failed, warned, skipped] = (['fail', 'warn', 'skip'] as const).map((verdict) =>
    countOf(groups, verdict),
  );
  const where = groups
    .filter(({ findings }) => findings.some(({ verdict }) => verdict === 'fail'))
    .map(({ group }) => group);
  const outcome =
    failed === 0
      ? `no check of ${all} failed`
      : `${failed} of ${all} checks failed: ${where.join(', ')}`;
  return [
    outcome,
    ...(warned === 0 ? [] : [`${warned} warned`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join('; ');
}

function linesOf({ about, verdict, detail, next }: Finding): readonly string[] {
  const line = `${words[verdict]} ${about}: ${detail}`;
  return next === undefined ? [line] : [line, `     next: ${next}`];
}
