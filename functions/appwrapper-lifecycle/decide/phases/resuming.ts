/** Creates the resources in the order of the spec. Their names are already recorded. */
import type { ComponentStatus } from '#shared/api/app-wrapper.ts';
import { apiVersionOf } from '#shared/domain/objects.ts';
import type { Decision } from '#shared/domain/decision.ts';
import type { CreateOperation, Stage } from '#shared/domain/plan.ts';
import type { Rejection } from '#shared/domain/rejection.ts';
import { listed } from '#shared/domain/wording.ts';
import { renderComponent } from '../../render-component.ts';
import { created, refused } from '../component-states.ts';
import { fail, resetOrFail } from '../faults.ts';
import { moved, type News } from '../outcome.ts';
import { noFailedPods, tooFewRun } from '../pod-news.ts';
import {
  type Decider,
  isSuspended,
  type Part,
  sinceMs,
  type Situation,
  wordsOf,
} from '../situation.ts';
import { tallyOf } from '../tally.ts';
import { whyUnreadable } from '../unreadable.ts';
import { suspend } from './suspending.ts';

export const resuming: Decider = (situation) => {
  if (isSuspended(situation)) return suspend(situation);
  const { parts } = situation;
  const goes = parts.find(({ observed }) => observed.object?.isDeleting === true);
  if (goes !== undefined) return notYetGone(situation, goes);
  const missing = parts.filter(({ observed }) => observed.object === undefined);
  const hidden = missing.find(({ observed }) => observed.unreadable !== undefined);
  if (hidden !== undefined) return notRead(situation, hidden);
  const [rejection] = situation.snapshot.rejections;
  const concerned = missing.find(({ recorded }) => recorded.name === rejection?.name);
  if (rejection !== undefined && concerned !== undefined) {
    return notCreated(situation, concerned, rejection);
  }
  return createAll(situation, missing);
};

function createAll(situation: Situation, missing: readonly Part[]): Decision {
  const stages: Stage[] = [];
  for (const part of missing) {
    const create = creation(situation, part);
    if (typeof create === 'string') return cannotBeCreated(situation, part, create);
    stages.push([create]);
  }
  const components = situation.parts.map((part) => created(situation, part));
  const change = { phase: 'Running', components, news: newsOfNewPods(situation) } as const;
  return moved(situation, 'Created', 'its resources are created', change, { before: stages });
}

/** Saves the write of a moment later, which would find the same. */
function newsOfNewPods(situation: Situation): readonly News[] {
  const { expected } = tallyOf(situation);
  return expected === 0 ? [] : [noFailedPods, tooFewRun(expected)];
}

/** A string says why the component can never be created. */
function creation(situation: Situation, part: Part): CreateOperation | string {
  const { component, observed, recorded } = part;
  const { resource } = observed;
  if (resource === undefined) {
    const { apiVersion, kind } = recorded;
    return `the cluster serves no kind ${kind} in ${apiVersion}; install what defines it`;
  }
  if (!resource.namespaced) {
    return `${resource.kind} (${apiVersionOf(resource)}) belongs to no namespace; only what belongs to the namespace of the AppWrapper can be wrapped`;
  }
  const twin = situation.parts.find((each) => isSameObject(each.recorded, recorded));
  if (twin !== undefined && twin !== part) {
    return `spec.components[${twin.index}] has the same kind and name`;
  }
  const rendered = renderComponent(
    situation.wrapper,
    component,
    recorded,
    part.index,
    situation.rules,
  );
  if (rendered.kind === 'fault') return rendered.message;
  const { uid } = situation.wrapper.metadata;
  return { kind: 'create', resource, object: rendered.object, ownerUid: uid };
}

function isSameObject(one: ComponentStatus, other: ComponentStatus): boolean {
  return one.name === other.name && one.kind === other.kind && one.apiVersion === other.apiVersion;
}

/** It was deleted, and a finalizer may keep it for ever. */
function notYetGone(situation: Situation, part: Part): Decision {
  const { recorded, observed } = part;
  const { keptBy = [] } = observed.object ?? {};
  const why = keptBy.length === 0 ? '' : `; finalizers keep it: ${listed(keptBy)}`;
  const message = `it was deleted, and has to be gone first${why}`;
  return notCreated(situation, part, { name: recorded.name, code: 'NameTerminating', message });
}

/** Nothing is created before Millrace may read all of it: what it cannot see it cannot delete either. */
function notRead(situation: Situation, part: Part): Decision {
  const { name } = part.recorded;
  return notCreated(situation, part, { name, code: 'Forbidden', message: whyUnreadable(part) });
}

function cannotBeCreated(situation: Situation, part: Part, why: string): Decision {
  return fail(situation, createFailed(situation, part, why));
}

/** Refusals that may pass. */
const passing: ReadonlySet<Rejection['code']> = new Set([
  'NameTerminating',
  'Forbidden',
  'QuotaExceeded',
  'Refused',
  'SubmitterUnknown',
]);

/** Shortest and longest pause between two tries, milliseconds. */
const again = { atLeastMs: 1_000, atMostMs: 30_000 };

function notCreated(situation: Situation, part: Part, { code, message }: Rejection): Decision {
  const { nowMs, settings } = situation;
  if (!passing.has(code)) return cannotBeCreated(situation, part, message);
  const began = sinceMs(situation, 'ResourcesDeployed');
  const endsMs = began + settings.admissionGraceMs;
  const fault = createFailed(situation, part, message);
  if (nowMs >= endsMs) return resetOrFail(situation, fault);
  // The pause equals the time so far, so a full quota is not asked every second.
  const pauseMs = Math.min(Math.max(nowMs - began, again.atLeastMs), again.atMostMs);
  return moved(situation, fault.reason, fault.message, fault.change, {
    requeueAtMs: Math.min(nowMs + pauseMs, endsMs),
  });
}

function createFailed(situation: Situation, part: Part, why: string) {
  const components = situation.parts.map((each) => {
    if (each.index === part.index) return refused(situation, each, why);
    return each.observed.object === undefined ? each.recorded : created(situation, each);
  });
  return {
    reason: 'CreateFailed',
    message: `${wordsOf(part)} cannot be created: ${why}`,
    change: { components },
  } as const;
}
