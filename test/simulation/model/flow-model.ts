/** The rules of a JobFlow for one run. */
import type { JobFlow, JobFlowStatus } from '#shared/api/job-flow.ts';
import type { JobTemplateObject } from '#shared/api/job-template.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { flowAdvance } from '#functions/flow-advance/function.ts';
import type { FlowSnapshot } from '#functions/flow-advance/snapshot.ts';
import type { StoreEvent } from '#sandbox';
import { flowsOf } from '../flow-objects.ts';
import { restFaults } from './at-rest.ts';
import { jobName } from './attempts-and-retries.ts';
import type { ChildHistory } from './child-history.ts';
import { decisionVerdict } from './decision-faults.ts';
import { eventsOf } from './events.ts';
import { FlowHistory } from './flow-history.ts';
import type { JudgedKind, KindModel, Pass, PassVerdict, Truth } from './kind-model.ts';
import type { Look, SeenTemplate } from './look.ts';
import { PredictedEvents } from './predicted-events.ts';
import { onRecord } from './predicted-status.ts';
import { allEvents } from './job-events.ts';
import { whole } from './whole-status.ts';

export const judgedFlows: JudgedKind<FlowSnapshot> = {
  fn: flowAdvance,
  plays: () => true,
  about: ({ flow }) => flow.metadata,
  leavesOut: (snapshot, operation) => {
    if (operation.kind === 'create') return isCounted(snapshot.flow);
    if (operation.kind !== 'patchStatus') return false;
    const { completionTime, jobStatusList, stepStates } = operation.status;
    const isShown = /"Skipped|"RetryAbandoned"|"Shutdown"|"FlowDeadlineExceeded"/.test(
      JSON.stringify([jobStatusList, stepStates]),
    );
    return (completionTime !== undefined && isShown) || givesUpJobs(snapshot, operation.status);
  },
  newModel: (children) => new FlowModel(children),
};

/** Rule 24: an invisible Job takes the place of one that is created. */
function isCounted({ spec: { flows, parallelism = Infinity } }: FlowSnapshot['flow']): boolean {
  return flows.length > parallelism;
}

/** It records a vanished Job without success, which a dependant's unseen Job would disprove. */
function givesUpJobs({ flow, confirmedMissing }: FlowSnapshot, predicted: JobFlowStatus): boolean {
  return confirmedMissing.some((job) => {
    const step = flow.spec.flows.find(({ name }) => {
      const record = flow.status?.jobStatusList?.find((each) => each.name === name);
      return jobName(flow, name, record?.attempt) === job;
    });
    const now = predicted.jobStatusList?.find(({ name }) => name === step?.name);
    return now !== undefined && now.state !== 'Succeed';
  });
}

class FlowModel implements KindModel<FlowSnapshot> {
  readonly #history: FlowHistory;
  readonly #events = new PredictedEvents(flowAdvance.subscription.name);

  constructor(children: ChildHistory) {
    this.#history = new FlowHistory(children);
  }

  onChange(event: StoreEvent): readonly string[] {
    const { type, object, old } = event;
    const { plural } = event.resourceType;
    this.#history.onChange({ type, object, plural });
    if (plural === 'events' && type === 'ADDED') {
      return this.#events.stored(object, 'JobFlow', (uid) => this.#history.flow(uid));
    }
    if (plural === 'jobflows' && type === 'MODIFIED' && old?.status !== object.status) {
      const [before, after] = [old, object].map((each) => whole(each as unknown as JobFlow));
      this.#events.recorded(after!.metadata.uid, eventsOf(before!, onRecord(after!)));
    }
    return [];
  }

  onLostEvent(name: string): boolean {
    return this.#events.lost(name, (object) => this.#history.hasFlow(object));
  }

  verdictOn({ snapshot, nowMs, isUnderLoad, decision, sight }: Pass<FlowSnapshot>): PassVerdict {
    const { look, faults } = this.#history.lookOf(snapshot, { nowMs, isUnderLoad }, sight);
    const verdict = decisionVerdict(look, decision);
    this.#events.announced(look.flow.metadata.uid, verdict.events);
    return {
      faults: [...faults, ...verdict.faults],
      freedoms: decision.plan.length > 0 ? this.#history.freedomsOf(look) : [],
    };
  }

  restFaults(truth: Truth): readonly string[] {
    const flows = flowsOf(truth.store);
    return flows.map(whole).flatMap((flow) => [
      ...restFaults({
        ...truth,
        look: this.#truth(flow, truth),
        past: this.#history.pastOf(flow),
      }),
      ...this.#events.faultsOf(flow.metadata),
    ]);
  }

  #truth(flow: JobFlow, { store, nowMs }: Truth): Look {
    const { uid } = flow.metadata;
    const jobs = store.list(resources.Job).filter(({ metadata }) => isFound(metadata, uid));
    const templates = store.list(resources.JobTemplate) as unknown as readonly JobTemplateObject[];
    return {
      flow,
      startedWith: this.#history.startedWith(flow),
      jobs: new Map(jobs.map((job) => [job.metadata.name, job])),
      pods: store.list(resources.Pod),
      events: allEvents(store, jobs),
      beganAtMs: nowMs,
      gone: new Set(),
      noticesRemovals: true,
      isUnderLoad: false,
      templates: new Map(templates.map((template) => [template.metadata.name, asSeen(template)])),
      refused: new Map(),
      wasJustRefused: false,
      atMs: nowMs,
    };
  }
}

/** An ended Job without its label cannot be found again. */
function isFound(metadata: KubeObject['metadata'], uid: string): boolean {
  return controllerOf(metadata)?.uid === uid && metadata.labels?.[labels.ownerUid] === uid;
}

function asSeen({ metadata, spec }: JobTemplateObject): SeenTemplate {
  const { uid, generation = 0 } = metadata;
  return { uid, generation, hash: '', jobTemplate: spec.jobTemplate };
}
