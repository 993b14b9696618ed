/** The Jobs of a flow, and which results are on record (rule 14). */
import { labels } from '#shared/domain/labels.ts';
import { childJobName } from '#shared/domain/names.ts';
import { objectName } from '#shared/domain/objects.ts';
import type { ObservedJob } from '#shared/domain/observed-job.ts';
import type { Family } from '#shared/parents/family.ts';
import { attemptOf, isOver } from './record.ts';
import { isFinished, type Situation } from './situation.ts';

export function familyOf(situation: Situation): Family {
  const { metadata } = situation.flow;
  return {
    owner: metadata.uid,
    namespace: objectName(metadata).namespace,
    jobs: situation.snapshot.jobs,
    isRecorded: (job) => isResultRecorded(situation, job),
  };
}

function isResultRecorded(situation: Situation, job: ObservedJob): boolean {
  const { flow, recorded } = situation;
  const step = job.labels[labels.step];
  if (step === undefined) return false;
  const attempt = Number(job.labels[labels.attempt]);
  const record = recorded.get(step);
  if (record === undefined || childJobName(flow.metadata.name, step, attempt) !== job.name) {
    return false;
  }
  const current = attemptOf(record);
  if (attempt < current || record.state === 'Succeed') return true;
  if (attempt === current && record.state === 'Failed') return true;
  // No result is awaited from the Job of a skipped step or of a later attempt: an outdated pass created it.
  return isOver(record.state) && isFinished(situation);
}
