/**
 * Reuses recent answers: two hundred flows of one template and one user cost one question about rights and one trial.
 * Only permitting answers are reused. Withdrawn rights, and policies that begin to refuse, are noticed after {@link
 * rememberedMs} at the latest.
 */
import { hash } from 'node:crypto';
import type { MonotonicClock } from '#shared/domain/clock.ts';
import { labels } from '#shared/domain/labels.ts';
import { type NewObject, type Resource, resourceKey } from '#shared/domain/objects.ts';
import { omit } from '#shared/domain/omit.ts';
import type { AccessAnswer } from './access-review.ts';
import type { Inquiry, Trial } from './inquiry.ts';
import { RecentAnswers } from './recent-answers.ts';

/** Milliseconds. */
export const rememberedMs = 10_000;
const most = 1_000;

export function rememberingInquiry(inquiry: Inquiry, clock: MonotonicClock): Inquiry {
  const access = new RecentAnswers<AccessAnswer>({
    ...{ clock, most },
    keepMs: ({ allowed }) => (allowed ? rememberedMs : 0),
  });
  const trials = new RecentAnswers<Trial>({
    ...{ clock, most },
    keepMs: (trial) => (isStored(trial) ? rememberedMs : 0),
  });
  return {
    ...inquiry,
    access: (question, signal) =>
      access.to(JSON.stringify(question), (shared) => inquiry.access(question, shared), signal),
    tryCreate: (resource, object, signal) =>
      trials.to(
        contentOf(resource, object),
        (shared) => inquiry.tryCreate(resource, object, shared),
        signal,
      ),
  };
}

function isStored({ rejection, isTaken }: Trial): boolean {
  return rejection === undefined && isTaken !== true;
}

/** Labels that name the owner, on the object and on its Pods. */
const ofOwner: ReadonlySet<string> = new Set([labels.flow, labels.daemonJob, labels.ownerUid]);

/** The object without its own name and its owner's. */
function contentOf(resource: Resource, { metadata, ...object }: NewObject): string {
  const content = [resourceKey(resource), omit(metadata, 'name'), object];
  const said = JSON.stringify(content, (key, value: unknown) =>
    ofOwner.has(key) ? undefined : value,
  );
  return hash('sha256', said);
}
