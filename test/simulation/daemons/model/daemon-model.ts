/** The rules of a DaemonJob for one run. */
import type { DaemonJob, DaemonJobStatus } from '#shared/api/daemon-job.ts';
import type { Decision } from '#shared/domain/decision.ts';
import { labels } from '#shared/domain/labels.ts';
import { controllerOf } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { daemonFanout } from '#functions/daemon-fanout/function.ts';
import type { DaemonSnapshot } from '#functions/daemon-fanout/snapshot.ts';
import type { StoreEvent } from '#sandbox';
import type { ChildHistory, Sight } from '../../model/child-history.ts';
import { allEvents } from '../../model/job-events.ts';
import type { JudgedKind, KindModel, Pass, PassVerdict, Truth } from '../../model/kind-model.ts';
import { merged } from '../../model/plan-faults.ts';
import { PredictedEvents } from '../../model/predicted-events.ts';
import { DaemonHistory } from './daemon-history.ts';
import { decisionVerdict } from './decision-faults.ts';
import { endFaults } from './ends.ts';
import { eventsOf } from './events.ts';
import type { DaemonLook } from './look.ts';
import { onRecord } from './predicted-status.ts';

export const judgedDaemonJobs: JudgedKind<DaemonSnapshot> = {
  fn: daemonFanout,
  plays: ({ fleet }) => fleet !== undefined,
  about: ({ daemonJob }) => daemonJob.metadata,
  leavesOut: ({ daemonJob }, operation) => {
    if (operation.kind !== 'patchStatus') return false;
    const { completionTime, waiting } = operation.status;
    return completionTime !== undefined && Number(waiting ?? daemonJob.status?.waiting ?? 0) > 0;
  },
  newModel: (children) => new DaemonModel(children),
};

class DaemonModel implements KindModel<DaemonSnapshot> {
  readonly #children: ChildHistory;
  readonly #history: DaemonHistory;
  readonly #events = new PredictedEvents(daemonFanout.subscription.name);

  constructor(children: ChildHistory) {
    this.#children = children;
    this.#history = new DaemonHistory(children);
  }

  onChange(event: StoreEvent): readonly string[] {
    const { type, object, old } = event;
    const { plural } = event.resourceType;
    this.#history.onChange({ type, object, plural });
    if (plural === 'events' && type === 'ADDED') {
      return this.#events.stored(object, 'DaemonJob', (uid) => this.#history.daemonJob(uid));
    }
    if (plural === 'daemonjobs' && type === 'MODIFIED' && old?.status !== object.status) {
      const [before, after] = [old, object].map((each) => onRecord(each as unknown as DaemonJob));
      this.#events.recorded(object.metadata.uid, eventsOf(before!, after!));
    }
    return [];
  }

  onLostEvent(name: string): boolean {
    return this.#events.lost(name, (object) => this.#history.hasDaemonJob(object));
  }

  verdictOn({ snapshot, nowMs, isUnderLoad, decision, sight }: Pass<DaemonSnapshot>): PassVerdict {
    const { look, faults } = this.#history.lookOf(snapshot, { nowMs, isUnderLoad }, sight);
    const verdict = decisionVerdict(look, decision);
    this.#events.announced(look.daemonJob.metadata.uid, verdict.events);
    return {
      faults: [...faults, ...verdict.faults, ...endedBlindly(look, decision, sight)],
      freedoms: decision.plan.length > 0 ? this.#history.freedomsOf(look) : [],
    };
  }

  restFaults(truth: Truth): readonly string[] {
    const daemonJobs = truth.store.list(resources.DaemonJob) as unknown as readonly DaemonJob[];
    return daemonJobs.flatMap((daemonJob) => this.#faultsAtRest(daemonJob, truth));
  }

  #faultsAtRest(daemonJob: DaemonJob, truth: Truth): readonly string[] {
    const { uid, name } = daemonJob.metadata;
    const look = this.#truth(daemonJob, truth);
    const left = decisionVerdict(look, { plan: [], reasons: [] }).faults;
    const ends = endFaults({
      daemonJob,
      nodes: look.nodes,
      jobs: this.#children.jobsOf(uid),
      isGone: ({ metadata }) => this.#children.isGone(metadata.uid),
      specs: this.#history.specsOf(uid),
    });
    return [
      ...left.map((fault) => fault.replace('model,', 'model, at rest,')),
      ...ends.map((fault) => `model, ends: ${fault}`),
      ...this.#events.faultsOf(daemonJob.metadata),
    ].map((fault) => `${fault} (${name})`);
  }

  #truth(daemonJob: DaemonJob, { store, nowMs }: Truth): DaemonLook {
    const { uid } = daemonJob.metadata;
    const byName = ({ metadata: left }: Named, { metadata: right }: Named): number =>
      left.name < right.name ? -1 : 1;
    const isFound = ({ metadata }: ReturnType<typeof store.list>[number]): boolean =>
      controllerOf(metadata)?.uid === uid && metadata.labels?.[labels.ownerUid] === uid;
    const jobs = store.list(resources.Job).filter(isFound).toSorted(byName);
    return {
      daemonJob,
      startedWith: this.#history.startedWith(daemonJob),
      nodes: store.list(resources.Node).toSorted(byName),
      jobs,
      pods: store.list(resources.Pod),
      events: allEvents(store, jobs),
      beganAtMs: nowMs,
      gone: new Set(),
      noticesRemovals: true,
      isUnderLoad: false,
      refused: new Map(),
      isWarned: false,
      atMs: nowMs,
    };
  }
}

/**
 * An end is final, so it must be based on the API server's current nodes. That does not apply if nothing
 * could be started or the deadline passed, because nodes are left out then anyway.
 */
function endedBlindly(
  { daemonJob, refused }: DaemonLook,
  { plan }: Decision,
  { nodesAreNow, isTentative }: Sight,
): readonly string[] {
  const write = plan.flat().find((operation) => operation.kind === 'patchStatus');
  const { state, completionTime } = (write?.status ?? {}) as DaemonJobStatus;
  const ends = state === 'Succeed' || state === 'Failed' || typeof completionTime === 'string';
  const { reason = '' }: DaemonJobStatus = merged(daemonJob.status ?? {}, write?.status ?? {});
  const isOwed = refused.size === 0 && !endsWithoutNodes.has(reason);
  return ends && isOwed && !nodesAreNow && !isTentative
    ? [`model, sight: ${daemonJob.metadata.name} ends by a view of nodes`]
    : [];
}

const endsWithoutNodes = new Set(['InvalidSpec', 'InvalidJob', 'DeadlineExceeded']);

interface Named {
  readonly metadata: { readonly name: string };
}
