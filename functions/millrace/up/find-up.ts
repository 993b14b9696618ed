import { resolve } from 'node:path';
import { runningUps, stateRoot, type UpState } from './state-folder.ts';

/** The `up` of this kubeconfig. */
export async function upOf(kubeconfig: string): Promise<UpState | undefined> {
  const ups = await runningUps(stateRoot(process.env));
  return ups.find((up) => up.kubeconfig === resolve(kubeconfig));
}

/** The `up` with the highest port. */
export async function latestUp(): Promise<UpState | undefined> {
  return (await runningUps(stateRoot(process.env))).at(-1);
}
