/** Whether each process, or the user of `millrace run`, has the rights that it needs. */
import { processes } from '#functions/processes.ts';
import type { AccessRule } from '#shared/domain/access-rule.ts';
import { hasCode } from '#shared/domain/errors.ts';
import { resources } from '#shared/domain/resources.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import { missingOwnRights, rightsOf } from '../require-rights.ts';
import { failure, type Finding, millrace, ok, type Patient, skipped } from './examination.ts';

const atOnce = 16;

export async function examineRights(patient: Patient): Promise<readonly Finding[]> {
  if (patient.way === 'run') return [await ofUser(patient)];
  if (patient.way !== 'pods') return [];
  const about = 'rights of the processes';
  try {
    const findings: Finding[] = [];
    for (const { name, access } of processes) {
      const missing = await missingTo(name, access, patient);
      if (missing.length === 0) continue;
      const detail = `may not ${missing.join(', ')}`;
      findings.push(failure(`rights of ${name}`, detail, millrace(patient, 'upgrade')));
    }
    if (findings.length > 0) return findings;
    return [ok(about, `all ${processes.length} may do what they do`)];
  } catch (error) {
    if (!hasCode(error, 'MR_API_FORBIDDEN')) throw error;
    return [skipped(about, 'you may not create SubjectAccessReviews')];
  }
}

async function ofUser({ client }: Patient): Promise<Finding> {
  const about = 'your rights';
  const missing = await missingOwnRights(client, undefined);
  if (missing.length === 0) return ok(about, '`millrace run` may do what it does');
  return failure(
    about,
    `\`millrace run\` could not ${missing.join(', ')}`,
    'kubectl create clusterrolebinding millrace-run --clusterrole=cluster-admin --user=NAME',
  );
}

/** The declared rights that the ServiceAccount of a process lacks. */
async function missingTo(
  name: string,
  access: readonly AccessRule[],
  { client, namespace, chosen }: Patient,
): Promise<readonly string[]> {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const isOwn = (rule: AccessRule): boolean => rule.namespace === 'own';
  const asked = [
    ...rightsOf(access.filter(isOwn), namespace),
    ...rightsOf(
      access.filter((rule) => !isOwn(rule)),
      chosen?.namespaced === true ? namespace : undefined,
    ),
  ];
  const { results, errors } = await eachBounded(asked, atOnce, async ([words, attributes]) => {
    const spec = { user, resourceAttributes: attributes };
    const { allowed } = await client.review(resources.SubjectAccessReview, spec);
    return allowed === true ? [] : [words];
  });
  if (errors.length > 0) throw errors[0];
  return results.flat();
}
