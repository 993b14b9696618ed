import { describe, expect, it } from 'vitest';
import { flow, flowName, step } from '#functions/flow-advance/testing/builders.ts';
import { finish } from '#functions/flow-advance/testing/job-controller.ts';
import { ModelCluster } from '#functions/flow-advance/testing/model-cluster.ts';
import { quiesce } from '#functions/flow-advance/testing/passes.ts';
import type { JsonObject, KubeObject, NewObject } from '#shared/domain/objects.ts';
import { rfc3339 } from '#shared/domain/time.ts';
import { diamond } from './flow-shapes.ts';
import { NullFlow } from './null-flow.ts';

const jobFlow = flow(Object.entries(diamond).map(([name, after]) => step(name, { after })));
const waves = [['a'], ['b', 'c', 'd'], ['e']];

interface Writes {
  readonly jobs: readonly NewObject[];
  readonly statuses: readonly JsonObject[];
}

async function writesOfMillrace(): Promise<Writes> {
  const cluster = new ModelCluster(jobFlow);
  const jobs: NewObject[] = [];
  const statuses: JsonObject[] = [];
  cluster.onDecision = ({ decision }) => {
    for (const operation of decision.plan.flat()) {
      if (operation.kind === 'create') jobs.push(operation.object);
      if (operation.kind === 'patchStatus') statuses.push({ status: operation.status });
    }
  };
  await quiesce(cluster);
  for (const names of waves) {
    for (const name of names) finish(cluster, `${flowName}-${name}`, 'Complete');
    await quiesce(cluster);
  }
  return { jobs, statuses };
}

function writesOfNullController(): Writes {
  const subject = new NullFlow(jobFlow, rfc3339(0));
  const jobs = [...subject.takeReady()];
  const statuses = [subject.statusPatch(rfc3339(0))];
  for (const names of waves) {
    for (const name of names) subject.complete(name, completeJob(`${flowName}-${name}`));
    jobs.push(...subject.takeReady());
    statuses.push(subject.statusPatch(rfc3339(0)));
  }
  expect(subject.isOver).toBe(true);
  return { jobs, statuses };
}

function completeJob(name: string): KubeObject {
  const status = { startTime: rfc3339(0), completionTime: rfc3339(0) };
  const metadata = { name, uid: `uid-1-${name}` } as KubeObject['metadata'];
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, status };
}

describe('the null controller writes what flow-advance writes', () => {
  it('the same Jobs in the same order', async () => {
    expect(writesOfNullController().jobs).toEqual((await writesOfMillrace()).jobs);
  });

  it('a status of the same size but for a tenth, at the start and at the end', async () => {
    const sizes = ({ statuses }: Writes) => statuses.map((each) => JSON.stringify(each).length);
    const [theirs, own] = [sizes(await writesOfMillrace()), sizes(writesOfNullController())];
    for (const index of [0, -1]) {
      const ratio = (own.at(index) ?? 0) / (theirs.at(index) ?? 0);
      expect(ratio, `write ${index}`).toBeGreaterThan(0.9);
      expect(ratio, `write ${index}`).toBeLessThan(1.1);
    }
  });

  it('starts a step once, and only when all its dependencies are complete', () => {
    const subject = new NullFlow(jobFlow, rfc3339(0));
    const started = () => subject.takeReady().map(({ metadata }) => metadata.name);
    expect(started()).toEqual(['etl-a']);
    expect(started()).toEqual([]);
    subject.complete('a', completeJob('etl-a'));
    expect(started()).toEqual(['etl-b', 'etl-c', 'etl-d']);
    for (const name of ['b', 'c']) subject.complete(name, completeJob(`etl-${name}`));
    expect(started()).toEqual([]);
    subject.complete('d', completeJob('etl-d'));
    expect(started()).toEqual(['etl-e']);
  });
});
