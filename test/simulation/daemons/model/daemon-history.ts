/** The state that a decision about a DaemonJob must have seen, according to the commits. */
import type { DaemonJob, DaemonJobSpec } from '#shared/api/daemon-job.ts';
import type { DecisionInput } from '#shared/domain/decision.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { DaemonSnapshot } from '#functions/daemon-fanout/snapshot.ts';
import type { ChildHistory, Committed, Sight } from '../../model/child-history.ts';
import type { Freedom } from '../../model/freedom.ts';
import { isRun } from './expected-decision.ts';
import { jobName } from './job-name.ts';
import { ledgerToGoOnFrom, machineKey } from './ledger.ts';
import { attemptOn, type DaemonLook, machineOf } from './look.ts';
import { isDoubtful } from './node-states.ts';

export class DaemonHistory {
  readonly #children: ChildHistory;
  /** By uid and version. */
  readonly #daemonJobs = new Map<string, DaemonJob>();
  readonly #nodes = new Map<string, KubeObject>();
  /** The last version of each, by uid; and the existing nodes. */
  readonly #lastDaemonJobs = new Map<string, DaemonJob>();
  readonly #lastNodes = new Map<string, KubeObject>();
  readonly #names = new Set<string>();
  readonly #startedWith = new Map<string, DaemonJobSpec>();
  readonly #specs = new Map<string, DaemonJobSpec[]>();

  constructor(children: ChildHistory) {
    this.#children = children;
  }

  /** Call it after the children's history. */
  onChange({ type, object, plural }: Committed): void {
    const { uid, resourceVersion } = object.metadata;
    if (plural === 'daemonjobs') this.#onDaemonJob(object as unknown as DaemonJob);
    if (plural !== 'nodes') return;
    this.#nodes.set(`${uid}/${resourceVersion}`, object);
    if (type === 'DELETED') this.#lastNodes.delete(uid);
    else this.#lastNodes.set(uid, object);
  }

  #onDaemonJob(daemonJob: DaemonJob): void {
    const { uid, resourceVersion, name } = daemonJob.metadata;
    const isStart = daemonJob.status?.startTime !== undefined && !this.#startedWith.has(uid);
    if (isStart) this.#startedWith.set(uid, daemonJob.spec);
    const last = this.#lastDaemonJobs.get(uid);
    if (last?.spec !== daemonJob.spec) {
      this.#specs.set(uid, [...(this.#specs.get(uid) ?? []), daemonJob.spec]);
    }
    this.#daemonJobs.set(`${uid}/${resourceVersion}`, daemonJob);
    this.#lastDaemonJobs.set(uid, daemonJob);
    this.#names.add(name);
  }

  /** The last version, even if it is gone. */
  daemonJob(uid: string): DaemonJob | undefined {
    return this.#lastDaemonJobs.get(uid);
  }

  /** Whether one of this name ever existed. */
  hasDaemonJob(name: string): boolean {
    return this.#names.has(name);
  }

  /** Every spec that it ever had. */
  specsOf(uid: string): readonly DaemonJobSpec[] {
    return this.#specs.get(uid) ?? [];
  }

  startedWith({ metadata, status }: DaemonJob): DaemonJobSpec | undefined {
    return status?.startTime === undefined ? undefined : this.#startedWith.get(metadata.uid);
  }

  /** The ways in which the observed state was behind the truth. */
  freedomsOf({ daemonJob, nodes, jobs, gone }: DaemonLook): readonly Freedom[] {
    const { uid, resourceVersion } = daemonJob.metadata;
    const known = new Set(jobs.map(({ metadata }) => metadata.uid));
    const isUnseen = ({ metadata }: KubeObject): boolean =>
      !known.has(metadata.uid) && this.#children.isThere(metadata.uid);
    const isOlder = (job: KubeObject): boolean =>
      this.#children.isGone(job.metadata.uid) || !this.#children.isLast(job);
    const used: readonly (readonly [Freedom, boolean])[] = [
      ['older DaemonJob', this.daemonJob(uid)?.metadata.resourceVersion !== resourceVersion],
      ['older Job', jobs.some(isOlder)],
      ['unseen Job', gone.size === 0 && this.#children.jobsOf(uid).some(isUnseen)],
      ['older nodes', isRun(daemonJob) && !this.#areLast(nodes)],
    ];
    return used.flatMap(([freedom, isUsed]) => (isUsed ? [freedom] : []));
  }

  #areLast(nodes: readonly KubeObject[]): boolean {
    return (
      nodes.length === this.#lastNodes.size &&
      nodes.every(({ metadata }) => {
        const last = this.#lastNodes.get(metadata.uid);
        return last?.metadata.resourceVersion === metadata.resourceVersion;
      })
    );
  }

  /** The state that a decision on this snapshot saw. State that it cannot have seen is a fault. */
  lookOf(
    snapshot: DaemonSnapshot,
    { nowMs: atMs, isUnderLoad }: DecisionInput,
    sight: Sight,
  ): { look: DaemonLook; faults: readonly string[] } {
    const { uid, resourceVersion } = snapshot.daemonJob.metadata;
    const faults: string[] = [];
    const committed = this.#daemonJobs.get(`${uid}/${resourceVersion}`);
    if (committed === undefined) faults.push(`version ${resourceVersion} of it never was`);
    const daemonJob = committed ?? snapshot.daemonJob;
    const look: DaemonLook = {
      daemonJob,
      startedWith: this.startedWith(daemonJob),
      nodes: this.#nodesIn(snapshot, sight, faults),
      jobs: this.#children.jobsIn(uid, snapshot.jobs, sight, faults),
      pods: this.#children.podsIn(sight, faults),
      events: sight.events,
      beganAtMs: sight.beganAtMs,
      gone: new Set(snapshot.confirmedMissing),
      noticesRemovals: snapshot.noticesRemovals === true,
      isUnderLoad: isUnderLoad === true,
      refused: new Map(snapshot.rejections.map(({ name, code }) => [name, code])),
      isWarned: (snapshot.warnings ?? []).length > 0,
      atMs,
    };
    faults.push(
      ...this.#leftOut(look, sight),
      ...this.#notGone(look, sight),
      ...notSought(look, sight),
    );
    return { look, faults: faults.map((fault) => `model, sight: ${fault}`) };
  }

  #nodesIn(
    { nodes }: DaemonSnapshot,
    { nodes: read = [] }: Sight,
    faults: string[],
  ): readonly KubeObject[] {
    const seen = read.flatMap(({ metadata: { name, uid, resourceVersion } }) => {
      const node = this.#nodes.get(`${uid}/${resourceVersion}`);
      if (node === undefined) faults.push(`node ${name} never was at ${resourceVersion}`);
      return node ?? [];
    });
    const sorted = seen.toSorted((left, right) =>
      left.metadata.name < right.metadata.name ? -1 : 1,
    );
    const [due, came] = [sorted.map(({ metadata }) => metadata.uid), nodes.map(({ uid }) => uid)];
    if (due.join() !== came.join())
      faults.push(`nodes ${came.join()}, where it read ${due.join()}`);
    return sorted;
  }

  /** Every Job that it read must be in the decision, unless a later Job of the same name was read too. */
  #leftOut({ daemonJob, jobs }: DaemonLook, { versions }: Sight): readonly string[] {
    const known = new Set<string>(jobs.map(({ metadata }) => metadata.uid));
    const first = ({ metadata }: KubeObject): number => this.#children.firstVersion(metadata.uid);
    const isFollowed = (job: KubeObject): boolean =>
      jobs.some((each) => each.metadata.name === job.metadata.name && first(each) > first(job));
    return this.#children
      .jobsOf(daemonJob.metadata.uid)
      .filter(({ metadata }) => versions.has(metadata.uid) && !known.has(metadata.uid))
      .filter((job) => !isFollowed(job))
      .map(({ metadata }) => `${metadata.name} was read and left out`);
  }

  /** The Job of a machine that counts as gone must have existed and be gone. */
  #notGone({ daemonJob, nodes, gone }: DaemonLook, sight: Sight): readonly string[] {
    if (gone.size === 0) return [];
    const ledger = ledgerToGoOnFrom(daemonJob);
    const all = this.#children.jobsOf(daemonJob.metadata.uid);
    return nodes.flatMap(({ metadata: { name, uid } }) => {
      const { state, attempt = 0 } = ledger.get(machineKey(uid)) ?? {};
      const ofNode = jobName(daemonJob, name, attempt);
      if (!gone.has(ofNode)) return [];
      const job = all.find((each) => machineOf(each) === uid && attemptOn(each) === attempt);
      const isThere = job !== undefined && this.#children.isThere(job.metadata.uid);
      if (isThere && !this.#cameLater(sight, job))
        return [`${ofNode} was taken for gone and is there`];
      if (isThere) return [];
      const ever = all.some(
        (each) => each.metadata.name === ofNode && (state === 'Started' || machineOf(each) === uid),
      );
      return ever ? [] : [`${ofNode} was taken for gone and never was there`];
    });
  }

  /** Created after the request, so a slow answer does not contain it. */
  #cameLater({ soughtAt }: Sight, { metadata }: KubeObject): boolean {
    const revision = soughtAt.get(metadata.name);
    return revision !== undefined && this.#children.firstVersion(metadata.uid) > revision;
  }
}

/** A recorded Job that the list lacks must be looked up by name, and so must doubtful Pods. */
function notSought(look: DaemonLook, sight: Sight): readonly string[] {
  const { daemonJob, nodes, jobs, gone } = look;
  if (!isRun(daemonJob)) return [];
  const ledger = ledgerToGoOnFrom(daemonJob);
  const missing = nodes.flatMap(({ metadata: { name, uid } }) => {
    const { state, attempt = 0 } = ledger.get(machineKey(uid)) ?? {};
    const ofNode = jobName(daemonJob, name, attempt);
    const isFound =
      gone.has(ofNode) ||
      jobs.some(({ metadata }) => metadata.name === ofNode) ||
      jobs.some((job) => machineOf(job) === uid && attemptOn(job) === attempt);
    return state === 'Started' && !isFound ? [`${ofNode} is on record and was not looked for`] : [];
  });
  const doubtful = sight.pods === undefined ? jobs.filter((job) => isDoubtful(look, job)) : [];
  return [
    ...(sight.nodes === undefined ? ['nodes were not looked for'] : []),
    ...missing,
    ...doubtful.map(({ metadata }) => `the Pods of ${metadata.name} were not looked for`),
  ];
}
