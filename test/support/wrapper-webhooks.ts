/** appwrapper-admission in this process, registered for one namespace of a cluster. */
import { wrapperAdmission } from '#functions/appwrapper-admission/admissions.ts';
import type { WrapperSettings } from '#functions/appwrapper-admission/wrapper-settings.ts';
import { withServices } from '#shared/admission/with-services.ts';
import { defaultPolicy } from '#shared/policy/pod-policy.ts';
import {
  registerAdmissions,
  type RegisteredAdmissions,
  type RegistrationOptions,
} from './admission-webhooks.ts';

/** Returns when both webhooks are in effect. */
export async function registerWrapperAdmission({
  wrappers,
  ...options
}: RegistrationOptions & { readonly wrappers: WrapperSettings }): Promise<RegisteredAdmissions> {
  return registerAdmissions(options, {
    name: wrapperAdmission.name,
    admissions: withServices(wrapperAdmission.admissions, {
      wrappers,
      policy: defaultPolicy,
    }),
    reviewed: () => reviewed(options),
  });
}

const spec = { containers: [{ name: 'a', image: 'a' }] };
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
const misspelt = 'workload.codeflare.dev.appwrapper/retryLimits';
const probe = {
  apiVersion: 'workload.codeflare.dev/v1beta2',
  kind: 'AppWrapper',
  metadata: { name: 'probe', annotations: { [misspelt]: '1' } },
  spec: { components: [{ template: pod }] },
};

/** One webhook writes the user, the other warns. */
async function reviewed({ kubectl, namespace }: RegistrationOptions): Promise<void> {
  const args = ['-n', namespace, 'create', '--dry-run=server', '-o', 'yaml', '-f', '-'];
  const { stdout, stderr } = await kubectl(args, { input: JSON.stringify(probe) });
  const expected = ['workload.codeflare.dev/user:', 'AppWrappers know no such annotation'];
  if (expected.every((words) => (stdout + stderr).includes(words))) return;
  throw new Error(`not reviewed yet: ${stdout}${stderr}`);
}
