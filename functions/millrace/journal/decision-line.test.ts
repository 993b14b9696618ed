import { expect, test } from 'vitest';
import { asEventId, asUid } from '#shared/domain/objects.ts';
import type { ExplainedDecision } from './choose-entries.ts';
import { decisionText } from './decision-line.ts';

function decided(parts: Partial<ExplainedDecision['decision']>): ExplainedDecision {
  const apiVersion = 'api.practice.com/v1alpha1';
  return {
    decision: {
      ...{ kind: 'decision', format: 1, position: '1-1', cause: asEventId('u.1') },
      ...{ function: 'flow-advance', version: '0.1.0', nowMs: 0, snapshot: null, plan: [] },
      key: { apiVersion, kind: 'JobFlow', namespace: 'default', name: 'etl', uid: asUid('u') },
      ...{ reasons: [], outcome: 'applied', durationMs: { observe: 0, decide: 0, apply: 0 } },
      ...parts,
    } as ExplainedDecision['decision'],
  };
}

test('a decision with a refused write says which one, and why', () => {
  const detail = 'etl-a: NameConflict: Job default/etl-a exists and has another owner';
  expect(decisionText(decided({ outcome: 'rejected', detail }))).toMatch(
    /-> rejected \(etl-a: NameConflict: Job default\/etl-a exists and has another owner\)$/,
  );
});

test('the same reason of a flow and of its step is printed once', () => {
  const reason = { code: 'Unschedulable', message: 'step a: 3 Insufficient cpu' };
  const reasons = [reason, { ...reason, fields: { step: 'a' } }, { code: 'Other', message: '' }];
  expect(decisionText(decided({ reasons }))).toContain(
    'JobFlow/etl: Unschedulable (step a: 3 Insufficient cpu); Other -> ',
  );
});
