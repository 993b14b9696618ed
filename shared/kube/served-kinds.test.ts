import { expect, it } from 'vitest';
import type { Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { servedKinds } from './served-kinds.ts';

const { Job } = resources;
const CronJob: Resource = { ...Job, plural: 'cronjobs', kind: 'CronJob' };
const job = { apiVersion: 'batch/v1', kind: 'Job' };

function served(...answers: readonly (readonly Resource[] | undefined)[]) {
  const asked: string[] = [];
  const resourceOf = servedKinds({
    discover: async (apiVersion) => {
      asked.push(apiVersion);
      return answers[asked.length - 1];
    },
  });
  return { asked, resourceOf };
}

it('finds a kind among those of its group and version, and asks once', async () => {
  const { asked, resourceOf } = served([CronJob, Job]);
  expect(await resourceOf(job)).toEqual(Job);
  expect(await resourceOf(job)).toEqual(Job);
  expect(asked).toEqual(['batch/v1']);
});

it('asks again for a kind that was not served', async () => {
  const { asked, resourceOf } = served(undefined, [CronJob], [Job]);
  expect(await resourceOf(job)).toBeUndefined();
  expect(await resourceOf(job)).toBeUndefined();
  expect(await resourceOf(job)).toEqual(Job);
  expect(asked).toHaveLength(3);
});
