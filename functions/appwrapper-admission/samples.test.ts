/** Shipped samples are admitted without a warning, and their Pods are counted. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { podSetsOf, replicasOf } from '#shared/api/wrapped/pod-sets.ts';
import { knownCluster } from '#shared/admission/testing/known-cluster.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import { decide } from './decide.ts';
import { lookUp } from './facts.ts';
import { creation } from './testing/reviews.ts';
import { componentsOf } from './wrapper-review.ts';
import { defaultWrapperSettings as wrappers } from './wrapper-settings.ts';

const folder = join(import.meta.dirname, '../../samples');
const pods: Readonly<Record<string, readonly number[]>> = {
  'appwrapper.yaml': [1],
  'wrapped-deployment.yaml': [2],
  'wrapped-failing-job.yaml': [1],
  'wrapped-failing-pod.yaml': [1],
  'wrapped-gpu-job.yaml': [1],
  'wrapped-job.yaml': [1],
  'wrapped-jobset.yaml': [4, 1],
  'wrapped-leader-worker-set.yaml': [2, 4],
  'wrapped-pod.yaml': [1],
  'wrapped-pytorch-job.yaml': [1, 2],
};

const others = ['queued-flow.yaml', 'queues.yaml'];

it('every sample has its number of Pods here', () => {
  const files = readdirSync(folder).filter((file) => !others.includes(file));
  expect(files.toSorted()).toEqual(Object.keys(pods));
});

it.each(Object.entries(pods))('%s is admitted, with %j Pods', async (file, counts) => {
  const object = parse(readFileSync(join(folder, file), 'utf8')) as JsonObject;
  // Foreign operators serve some of the kinds.
  const cluster = knownCluster([], { resourceOf: async () => resources.Job });
  const review = creation(object);
  const facts = await lookUp(
    review,
    { ...cluster, wrappers, policy: defaultPolicy },
    new AbortController().signal,
  );
  expect(decide(review, facts)).toEqual({ allowed: true });
  expect(componentsOf(object).flatMap(podSetsOf).map(replicasOf)).toEqual(counts);
});
