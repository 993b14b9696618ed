/** Rules for the spec of a Pod (pkg/apis/core/validation ValidatePodSpec), as far as they are simulated. */
import { duplicate, invalid, notSupported, required } from '../../apimachinery/cause.ts';
import { labelFaults } from '../metadata-rules.ts';
import type { StatusCause } from '../../apimachinery/status-error.ts';
import { affinityFaults } from './affinity-rules.ts';
import { containerFaults, namedFault } from './container-rules.ts';
import type { PodSpec } from './pod-template-defaults.ts';
import { tolerationFaults, type Toleration } from './toleration-rules.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function podSpecFaults(spec: PodSpec, path: string): readonly StatusCause[] {
  const { containers = [], initContainers = [], restartPolicy, volumes = [] } = spec;
  const faults: StatusCause[] = [];
  const volumeNames = new Set<string>();
  for (const [place, { name = '' }] of volumes.entries()) {
    const at = `${path}.volumes[${place}].name`;
    const found = name === '' ? required(at) : namedFault(at, name);
    if (found !== undefined) faults.push(found);
    else if (volumeNames.has(name)) faults.push(duplicate(at, name));
    volumeNames.add(name);
  }
  if (containers.length === 0) faults.push(required(`${path}.containers`));
  const names = new Set<string>();
  for (const [field, list] of Object.entries({ containers, initContainers })) {
    for (const [place, container] of list.entries()) {
      faults.push(...containerFaults(container, `${path}.${field}[${place}]`, volumeNames, names));
    }
  }
  if (restartPolicy !== undefined && !restartPolicies.includes(restartPolicy)) {
    faults.push(notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies));
  }
  const dnsPolicy = spec['dnsPolicy'] as string | undefined;
  if (dnsPolicy !== undefined && !dnsPolicies.includes(dnsPolicy)) {
    faults.push(notSupported(`${path}.dnsPolicy`, dnsPolicy, dnsPolicies));
  }
  const nodeSelector = (spec['nodeSelector'] ?? {}) as Readonly<Record<string, string>>;
  faults.push(...labelFaults(nodeSelector, `${path}.nodeSelector`));
  faults.push(...affinityFaults(spec['affinity'], `${path}.affinity`));
  const deadline = spec['activeDeadlineSeconds'] as number | undefined;
  if (deadline !== undefined && deadline < 1) {
    const detail = 'must be between 1 and 2147483647, inclusive';
    faults.push(invalid(`${path}.activeDeadlineSeconds`, deadline, detail));
  }
  const tolerations = (spec['tolerations'] ?? []) as readonly Toleration[];
  faults.push(...tolerationFaults(tolerations, `${path}.tolerations`));
  return faults;
}
