import { annotations } from '#shared/domain/labels.ts';
import { kubectl } from '#shared/domain/next-command.ts';
import { flowName } from './object-names.ts';
import type { Situation } from './situation.ts';

/** Another value starts another retry, so the number of the one before is counted up. */
export function retryCommand(situation: Situation): string {
  const { retryNonce = '' } = situation.status;
  const next = /^\d{1,9}$/.test(retryNonce) ? Number(retryNonce) + 1 : 1;
  const { namespace, name } = flowName(situation);
  return `${kubectl(namespace)} annotate mjf ${name} ${annotations.retry}=${next} --overwrite`;
}
