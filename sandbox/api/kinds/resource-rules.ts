/** Requests and limits of a container (pkg/apis/core/validation ValidateContainerResourceRequirements). */
import { invalid, required } from '../../apimachinery/cause.ts';
import { parseQuantity } from '../../apimachinery/quantity.ts';
import { labelKeyFault } from '../../apimachinery/names.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import type { Resources } from './pod-template-defaults.ts';

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** The decoder has already checked their form. */
export function resourceFaults(
  { limits = {}, requests = {} }: Resources,
  path: string,
): readonly StatusCause[] {
  return [
    ...Object.entries(limits).flatMap(([name, limit]) =>
      amountFaults(name, String(limit), `${path}.limits`),
    ),
    ...Object.entries(requests).flatMap(([name, request]) => [
      ...amountFaults(name, String(request), `${path}.requests`),
      ...requestFaults(name, String(request), limits[name], path),
    ]),
  ];
}

function amountFaults(name: string, amount: string, path: string): readonly StatusCause[] {
  const faults: StatusCause[] = [];
  const nameFault = labelKeyFault(name);
  const at = `${path}[${name}]`;
  if (nameFault !== undefined) faults.push(invalid(at, name, nameFault));
  else if (!isKnown(name)) {
    const type = 'must be a standard resource type or fully qualified';
    const own = 'must be a standard resource for containers';
    faults.push(invalid(at, name, type), invalid(at, name, own));
  }
  const billionths = parseQuantity(amount);
  if (typeof billionths !== 'string' && billionths < 0n) {
    faults.push(invalid(at, amount, 'must be greater than or equal to 0'));
  }
  return faults;
}

function requestFaults(
  name: string,
  request: string,
  limit: string | number | undefined,
  path: string,
): readonly StatusCause[] {
  if (limit === undefined) {
    if (standard.has(name)) return [];
    return [required(`${path}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const [most, wanted] = [parseQuantity(String(limit)), parseQuantity(request)];
  if (typeof most === 'string' || typeof wanted === 'string') return [];
  if (!standard.has(name) && wanted !== most) {
    const detail = `must be equal to ${name} limit of ${limit}`;
    return [invalid(`${path}.requests`, request, detail)];
  }
  if (wanted <= most) return [];
  const detail = `must be less than or equal to ${name} limit of ${limit}`;
  return [invalid(`${path}.requests`, request, detail)];
}

function isKnown(name: string): boolean {
  return standard.has(name) || name.includes('/') || name.startsWith('hugepages-');
}
