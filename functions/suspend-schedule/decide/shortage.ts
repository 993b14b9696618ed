/** The resources that an object requests beyond the whole capacity of its policy. */
import { ownMember } from '#shared/domain/own-member.ts';
import type { SelectedObject } from '../snapshot.ts';
import { nameOf } from '../name-of.ts';
import { amountsOf, capacityOf, fits } from './capacity.ts';
import type { Situation } from './situation.ts';

/** `Job/team-a/etl asks for cpu 6, and the whole capacity has 4`. */
export function shortageWords(
  { policy }: Pick<Situation, 'policy'>,
  object: SelectedObject,
): string {
  const asked = amountsOf(object);
  const lacking = Object.entries(capacityOf(policy.spec) ?? {})
    .filter(([name, most]) => !fits({ [name]: most }, asked))
    .map(([name]) => {
      const { maxJobs, resources = {} } = policy.spec.capacity ?? {};
      return name === 'jobs'
        ? `a place, and maxJobs is ${maxJobs ?? 0}`
        : `${name} ${amountText(ownMember(asked, name) ?? 0)}, and the whole capacity has ${ownMember(resources, name) ?? 0}`;
    });
  return `${nameOf(object)} asks for ${lacking.join('; for ')}`;
}

const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** Written as a quantity: whole powers of 1024 with their unit, other amounts without one. */
function amountText(amount: number): string {
  let [value, unit] = [amount, 0];
  while (value >= 1_024 && value % 1_024 === 0 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${Math.round(value * 1_000) / 1_000}${units[unit] ?? ''}`;
}
