/**
 * The levels of the Kubernetes Pod Security Standards. Each includes the rules of the one before it.
 * Source: the checks of pod-security-admission, at the newest version of each.
 */
export const podProfiles = ['privileged', 'baseline', 'restricted'] as const;
export type PodProfile = (typeof podProfiles)[number];

/** Whether a rule of the level `since` applies under `profile`. */
export function includes(profile: PodProfile, since: PodProfile): boolean {
  return podProfiles.indexOf(profile) >= podProfiles.indexOf(since);
}
