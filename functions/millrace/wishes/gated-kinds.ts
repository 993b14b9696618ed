import { loggedKinds } from '../logs/log-sources.ts';
import { picturedKinds } from '../picture/pictured-kinds.ts';

/** The kinds whose Jobs can wait at a gate, with how their Jobs are found and named. */
export const gatedKinds = picturedKinds.flatMap((kind) => {
  const logged = loggedKinds.find(({ resource }) => resource.kind === kind.resource.kind);
  return kind.jobLabel === undefined || logged === undefined ? [] : [{ ...logged, ...kind }];
});
