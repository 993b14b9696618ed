/** Requests of a Pod (component-helpers resource.PodRequests). */
import { billion, wholeUnits } from '../../apimachinery/quantity.ts';
import { type Container, isSidecar, type Pod } from '../objects/pod.ts';
import type { ResourceList } from '../objects/resource-list.ts';

/** By resource, in the scheduler's units, without `pods`. */
export type Amounts = ReadonlyMap<string, number>;

/** The greater of the requests of all containers and those of any init container. Sidecars count in both. */
export function requestsOf({ spec }: Pod): Amounts {
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = containerRequests(container);
    if (isSidecar(container)) add(sidecars, own);
    else raise(peak, sum(own, sidecars));
    raise(peak, sidecars);
  }
  const running = new Map(sidecars);
  for (const container of spec.containers) add(running, containerRequests(container));
  raise(peak, running);
  add(peak, amounts(spec.overhead ?? {}));
  return peak;
}

export function amounts(list: ResourceList): Amounts {
  return new Map(
    Object.entries(list).map(([resource, quantity]) => [resource, amountOf(resource, quantity)]),
  );
}

/** In the scheduler's units: cpu in thousandths, all else in whole units, both rounded up. */
export function amountOf(resource: string, quantity: string | number): number {
  return wholeUnits(quantity, resource === 'cpu' ? billion / 1000n : billion);
}

/** A limit without a request is the request as well (pkg/apis/core/v1/defaults.go). */
function containerRequests({ resources = {} }: Container): Amounts {
  return amounts({ ...resources.limits, ...resources.requests });
}

export function sum(left: Amounts, right: Amounts): Amounts {
  const result = new Map(left);
  add(result, right);
  return result;
}

function add(into: Map<string, number>, from: Amounts): void {
  for (const [resource, amount] of from) into.set(resource, (into.get(resource) ?? 0) + amount);
}

function raise(into: Map<string, number>, to: Amounts): void {
  for (const [resource, amount] of to) {
    into.set(resource, Math.max(into.get(resource) ?? 0, amount));
  }
}
