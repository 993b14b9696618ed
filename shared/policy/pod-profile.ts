/**
 * The levels of the Kubernetes Pod Security Standards. Each forbids what the level before it forbids, and
 * more. Source: the checks of pod-security-admission, at the newest version of each.
 */
export const podProfiles = ['privileged', 'baseline', 'restricted'] as const;
export type PodProfile = (typeof podProfiles)[number];

/** Whether a Pod under `profile` has to keep what begins with the level `since`. */
export function includes(profile: PodProfile, since: PodProfile): boolean {
  return podProfiles.indexOf(profile) >= podProfiles.indexOf(since);
}
