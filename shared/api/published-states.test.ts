import { expect, it } from 'vitest';
import { flow } from '#shared/domain/testing/objects.ts';
import { appWrapperKind } from './app-wrapper.ts';
import { jobFlowKind, type JobFlowStatus } from './job-flow.ts';
import type { KindDefinition } from './kind-definition.ts';
import { suspendPolicyKind } from './suspend-policy.ts';

const at = (second: number) => `2026-11-21T10:00:0${second}Z`;
const condition = (type: string, status: 'True' | 'False', second: number) => ({
  ...{ type, status, reason: 'R', message: '' },
  lastTransitionTime: at(second),
});

function statesOf({ published }: KindDefinition, status: object, steps: readonly string[] = ['a']) {
  const spec = { flows: steps.map((name) => ({ name })) };
  return published!.of(flow({ spec, status })).map(({ part, state, occasion }) => {
    return [...(part === undefined ? [] : [part]), state, occasion].join(' ');
  });
}

const ofFlow = (status: Partial<JobFlowStatus>, steps?: readonly string[]) =>
  statesOf(jobFlowKind, status, steps);

it('an object has no state before its status has one', () => {
  expect(ofFlow({})).toEqual([]);
  expect(statesOf(appWrapperKind, {})).toEqual([]);
  expect(statesOf(suspendPolicyKind, {})).toEqual([]);
});

it('a state that comes again is another occasion of it, and what else the status says is none', () => {
  const conditions = [condition('Progressing', 'False', 3), condition('Suspended', 'True', 4)];
  const first = ofFlow({ state: 'Suspended', conditions });
  expect(first).toEqual([`Suspended ${at(4)}`]);
  const others = [...conditions, condition('StepFailed', 'True', 6)];
  expect(ofFlow({ state: 'Suspended', conditions: others, message: 'm' })).toEqual(first);
  const again = [condition('Progressing', 'False', 8), condition('Suspended', 'True', 9)];
  expect(ofFlow({ state: 'Suspended', conditions: again })).not.toEqual(first);
});

it('an attempt and a retry by hand are other occasions of the state of a step', () => {
  const waiting = [{ name: 'a', state: 'Waiting' }] as const;
  const stepOf = (status: Partial<JobFlowStatus>) => ofFlow(status)[0];
  const first = stepOf({ jobStatusList: waiting });
  const running = { name: 'a', state: 'Running', startTime: at(1) } as const;
  const distinct = new Set([
    first,
    stepOf({ jobStatusList: waiting, retryNonce: '1' }),
    stepOf({ jobStatusList: [running] }),
    stepOf({ jobStatusList: [{ ...running, attempt: 1 }] }),
    stepOf({ jobStatusList: [{ ...running, startTime: at(2) }] }),
  ]);
  expect(distinct.size).toBe(5);
  const said = { ...waiting[0], message: 'waits for b' };
  expect(stepOf({ jobStatusList: [said] })).toBe(first);
});

it('a long flow publishes each step, though its status has only the positions of most', () => {
  const steps = Array.from({ length: 201 }, (_, index) => `s${String(index).padStart(3, '0')}`);
  const status = { jobStatusList: [], stepStates: { Succeed: '0-199' } };
  const states = ofFlow(status, steps).map((line) => line.split(' ').slice(0, 2).join(' '));
  expect(states).toHaveLength(201);
  expect([states[0], states[199], states[200]]).toEqual([
    's000 Succeed',
    's199 Succeed',
    's200 Waiting',
  ]);
});

it('an AppWrapper that was reset comes to its phases on another occasion', () => {
  const conditions = [condition('QuotaReserved', 'True', 1), condition('PodsReady', 'True', 5)];
  const first = statesOf(appWrapperKind, { phase: 'Running', conditions });
  expect(first).toEqual([`Running 0.${at(1)}`]);
  expect(statesOf(appWrapperKind, { phase: 'Running', conditions, resettingCount: 1 })).not.toEqual(
    first,
  );
});

it('a policy publishes when it opens and closes', () => {
  expect(statesOf(suspendPolicyKind, { state: 'Closed', lastTransition: at(2) })).toEqual([
    `Closed ${at(2)}`,
  ]);
});
