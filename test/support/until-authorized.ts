/** Waits for the API server to apply a change of RBAC. */
import { setTimeout } from 'node:timers/promises';
import type { Kubectl } from './control-plane/kubectl.ts';
import { patienceMs } from './patience.ts';

export interface AskedRight {
  readonly user: string;
  readonly namespace: string;
  /** As in `kubectl auth can-i`: a verb, a resource or `resource/name`, and options. */
  readonly right: readonly [verb: string, resource: string, ...options: readonly string[]];
}

/**
 * The authorizer learns of roles and bindings through a watch, so a request right after a change may meet the old
 * rules. `kubectl auth can-i` asks the same authorizer. `kubectl` acts as admin.
 */
export async function untilAuthorized(
  kubectl: Kubectl,
  { user, namespace, right }: AskedRight,
  answer: 'yes' | 'no' = 'yes',
): Promise<void> {
  const question = ['auth', 'can-i', ...right, '--namespace', namespace, '--as', user];
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const { stdout, stderr } = await kubectl(question);
    // A reason may follow: "no - RBAC: ...".
    if (stdout.trim().split(' ', 1)[0] === answer) return;
    if (performance.now() > endMs) {
      throw new Error(`kubectl ${question.join(' ')} never said ${answer}: ${stdout}${stderr}`);
    }
    await setTimeout(50);
  }
}
