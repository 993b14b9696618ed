/** The quota of a ClusterQueue that Workloads use, and whether another Workload fits (pkg/scheduler/flavorassigner). */
import { amountOf, type Amounts, requestsOf } from '../scheduling/pod-requests.ts';
import { asPod } from '../objects/pod.ts';
import {
  type Assignment,
  type ClusterQueue,
  holds,
  type PodSet,
  type Workload,
} from './queue-objects.ts';
import { amountText } from './amount-text.ts';

/** By flavor and resource, in the units of `amountOf`. */
export class Usage {
  readonly #amounts = new Map<string, number>();

  of(flavor: string, resource: string): number {
    return this.#amounts.get(`${flavor}/${resource}`) ?? 0;
  }

  add(flavor: string, resource: string, amount: number): void {
    this.#amounts.set(`${flavor}/${resource}`, this.of(flavor, resource) + amount);
  }
}

/** Quota of the Workloads that hold it. A finished Workload holds none, and finished Pods have given theirs back. */
export function usageOf(clusterQueue: string, workloads: readonly Workload[]): Usage {
  const usage = new Usage();
  for (const workload of workloads) {
    if (!holdsQuotaIn(clusterQueue, workload)) continue;
    for (const { name, flavors, count } of workload.status?.admission?.podSetAssignments ?? []) {
      const podSet = workload.spec.podSets.find((each) => each.name === name);
      if (podSet === undefined) continue;
      const left = Math.max(0, count - reclaimed(workload, name));
      for (const [resource, amount] of podRequests(podSet)) {
        const flavor = flavors[resource];
        if (flavor !== undefined) usage.add(flavor, resource, amount * left);
      }
    }
  }
  return usage;
}

export function holdsQuotaIn(clusterQueue: string, workload: Workload): boolean {
  return (
    holds(workload, 'QuotaReserved') &&
    !holds(workload, 'Finished') &&
    workload.status?.admission?.clusterQueue === clusterQueue
  );
}

function reclaimed({ status }: Workload, podSet: string): number {
  return status?.reclaimablePods?.find(({ name }) => name === podSet)?.count ?? 0;
}

/** Requests of one Pod. */
function podRequests({ template: { spec } }: PodSet): Amounts {
  return requestsOf(asPod({ spec } as never));
}

export type Fit =
  | { readonly kind: 'fits'; readonly assignments: readonly Assignment[] }
  /** `couldBe`: it would fit if less were in use. */
  | { readonly kind: 'none'; readonly message: string; readonly couldBe: boolean };

/** The first flavor of each group with room for the whole pod set, as with the default flavorFungibility. */
export function fit(
  clusterQueue: ClusterQueue,
  { spec: { podSets }, status }: Workload,
  usage: Usage,
): Fit {
  const assumed = new Usage();
  const assignments: Assignment[] = [];
  const faults: string[] = [];
  let couldBe = true;
  for (const podSet of podSets) {
    const done = status?.reclaimablePods?.find(({ name }) => name === podSet.name)?.count ?? 0;
    const count = Math.max(0, podSet.count - done);
    const found = place(clusterQueue, podSet, { count, usage, assumed });
    if (found.kind === 'none') {
      faults.push(`couldn't assign flavors to pod set ${podSet.name}: ${found.message}`);
      couldBe &&= found.couldBe;
    } else assignments.push(found.assignment);
  }
  if (faults.length > 0) return { kind: 'none', message: faults.join('; '), couldBe };
  return { kind: 'fits', assignments };
}

interface Room {
  readonly count: number;
  readonly usage: Usage;
  /** Requests of the earlier pod sets. */
  readonly assumed: Usage;
}

type Placed =
  | { readonly kind: 'placed'; readonly assignment: Assignment }
  | { readonly kind: 'none'; readonly message: string; readonly couldBe: boolean };

function place(clusterQueue: ClusterQueue, podSet: PodSet, room: Room): Placed {
  const flavors: Record<string, string> = {};
  const resourceUsage: Record<string, string> = {};
  const faults: string[] = [];
  let couldBe = true;
  const wanted = [...podRequests(podSet)].map(
    ([resource, amount]) => [resource, amount * room.count] as const,
  );
  const groups = clusterQueue.spec.resourceGroups ?? [];
  const uncovered = wanted.filter(
    ([resource, amount]) =>
      amount > 0 && !groups.some(({ coveredResources }) => coveredResources.includes(resource)),
  );
  for (const [resource] of uncovered) {
    faults.push(`resource ${resource} unavailable in ClusterQueue`);
    couldBe = false;
  }
  for (const { coveredResources, flavors: offered } of groups) {
    const covered = wanted.filter(([resource]) => coveredResources.includes(resource));
    if (covered.length === 0) continue;
    const tried = offered.map((flavor) => ({ flavor, lacks: shortages(flavor, covered, room) }));
    const chosen = tried.find(({ lacks }) => lacks.length === 0)?.flavor;
    if (chosen === undefined) {
      faults.push(...tried.flatMap(({ lacks }) => lacks.map(({ message }) => message)));
      couldBe &&= tried.some(({ lacks }) => lacks.every((lack) => lack.couldBe));
      continue;
    }
    for (const [resource, amount] of covered) {
      flavors[resource] = chosen.name;
      resourceUsage[resource] = amountText(resource, amount);
      room.assumed.add(chosen.name, resource, amount);
    }
  }
  if (faults.length > 0) return { kind: 'none', message: faults.toSorted().join(', '), couldBe };
  const { name } = podSet;
  return { kind: 'placed', assignment: { name, flavors, resourceUsage, count: room.count } };
}

interface Shortage {
  readonly message: string;
  /** It would fit if less were in use. */
  readonly couldBe: boolean;
}

function shortages(
  flavor: { readonly name: string; readonly resources: ClusterQueueResources },
  wanted: readonly (readonly [string, number])[],
  { usage, assumed }: Room,
): readonly Shortage[] {
  return wanted.flatMap(([resource, amount]): Shortage[] => {
    const quota = flavor.resources.find(({ name }) => name === resource)?.nominalQuota ?? 0;
    const capacity = amountOf(resource, quota);
    const before = assumed.of(flavor.name, resource);
    const say = (value: number): string => amountText(resource, value);
    if (before + amount > capacity) {
      const message = `insufficient quota for ${resource} in flavor ${flavor.name}, previously considered podsets requests (${say(before)}) + current podset request (${say(amount)}) > maximum capacity (${say(capacity)})`;
      return [{ message, couldBe: false }];
    }
    const lacking = before + amount - (capacity - usage.of(flavor.name, resource));
    if (lacking <= 0) return [];
    const message = `insufficient unused quota for ${resource} in flavor ${flavor.name}, ${say(lacking)} more needed`;
    return [{ message, couldBe: true }];
  });
}

type ClusterQueueResources = readonly {
  readonly name: string;
  readonly nominalQuota: string | number;
}[];
