/** What else of the field runs in the cluster, and whether it and Millrace get along. */
import { noOtherController } from '../installation/cluster-checks.ts';
import { kueueCheck } from '../installation/kueue-check.ts';
import { type Finding, findingOf, type Patient } from './examination.ts';

export async function examineNeighbours(patient: Patient): Promise<readonly Finding[]> {
  const { client, cluster } = patient;
  const [controller, kueue] = await Promise.all([noOtherController(client), kueueCheck(client)]);
  const look = `${cluster.kubectl} get deployments -n kueue-system`;
  return [controller, kueue].map((check) => findingOf(check, look, patient));
}
